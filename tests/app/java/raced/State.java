package raced;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/** All files and directories, in one file of this machine that processes share: one of them has it at a time. */
final class State {
  /** A file, or a directory where there is no data. What is not seen by others until a time is known to one client. */
  static final class Node {
    byte[] data;
    String writer = "";
    String knownTo = "";
    long hiddenUntil;

    Node(byte[] data) {
      this.data = data;
    }

    boolean isHiddenFrom(String client) {
      return !client.equals(knownTo) && System.currentTimeMillis() < hiddenUntil;
    }
  }

  private static final ReentrantLock THREADS = new ReentrantLock();

  final TreeMap<String, Node> nodes = new TreeMap<>();
  /** What was deleted and is still seen by others, until a time. */
  final TreeMap<String, Node> ghosts = new TreeMap<>();
  private final Path file;
  private final Path beside;
  private final Path locked;
  private FileChannel channel;
  private FileLock lock;

  State(String file) {
    this.file = Path.of(file);
    beside = Path.of(file + ".new");
    locked = Path.of(file + ".lock");
  }

  void take() throws IOException {
    THREADS.lock();
    try {
      channel = FileChannel.open(locked, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      lock = channel.lock();
      load();
    } catch (IOException | RuntimeException error) {
      THREADS.unlock();
      throw error;
    }
  }

  void give() throws IOException {
    try {
      save();
      lock.release();
      channel.close();
    } finally {
      THREADS.unlock();
    }
  }

  private void load() throws IOException {
    nodes.clear();
    ghosts.clear();
    if (!Files.exists(file)) {
      nodes.put("/", new Node(null));
      return;
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file)));
    for (Map<String, Node> part : List.of(nodes, ghosts)) {
      for (int left = in.readInt(); left > 0; left--) {
        String path = in.readUTF();
        int size = in.readInt();
        Node node = new Node(size < 0 ? null : in.readNBytes(size));
        node.writer = in.readUTF();
        node.knownTo = in.readUTF();
        node.hiddenUntil = in.readLong();
        part.put(path, node);
      }
    }
  }

  private void save() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (Map<String, Node> part : List.of(nodes, ghosts)) {
      out.writeInt(part.size());
      for (Map.Entry<String, Node> one : part.entrySet()) {
        Node node = one.getValue();
        out.writeUTF(one.getKey());
        out.writeInt(node.data == null ? -1 : node.data.length);
        out.write(node.data == null ? new byte[0] : node.data);
        out.writeUTF(node.writer);
        out.writeUTF(node.knownTo);
        out.writeLong(node.hiddenUntil);
      }
    }
    // Whole or not at all, whenever the process is killed.
    Files.write(beside, bytes.toByteArray());
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
  }

  boolean isFile(String key) {
    Node node = nodes.get(key);
    return node != null && node.data != null;
  }

  boolean isDirectory(String key) {
    Node node = nodes.get(key);
    return node != null && node.data == null;
  }

  /** The path, and all that is below it. */
  List<String> subtree(String key) {
    List<String> found = new ArrayList<>();
    for (String one : nodes.keySet()) {
      if (one.equals(key) || one.startsWith(key.equals("/") ? key : key + "/")) {
        found.add(one);
      }
    }
    return found;
  }

  /** The paths right below a path. */
  List<String> children(String key) {
    List<String> found = new ArrayList<>();
    for (String one : subtree(key)) {
      if (!one.equals(key) && parent(one).equals(key)) {
        found.add(one);
      }
    }
    return found;
  }

  void move(String source, String target) {
    for (String one : subtree(source)) {
      nodes.put(target + one.substring(source.length()), nodes.remove(one));
    }
  }

  void remove(String key) {
    subtree(key).forEach(nodes::remove);
  }

  static String parent(String key) {
    int last = key.lastIndexOf('/');
    return last <= 0 ? "/" : key.substring(0, last);
  }
}
