package raced;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A FileSystem whose calls are atomic, but for the one fault that raced.fault chooses: others come between then. */
public class RacedFileSystem extends FileSystem {
  private static final URI HOME = URI.create("raced:///");
  private static final long GAP_MILLISECONDS = 10;
  private static final long LATE_MILLISECONDS = 40;
  private static final long BLOCK = 32 << 20;

  private interface Call<T> {
    T made() throws IOException;
  }

  private final String me = UUID.randomUUID().toString();
  private final Map<String, Object> remembered = new HashMap<>();
  private State state;
  private String fault;
  private boolean mortal;
  private Path working = new Path("/");

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    state = new State(conf.get("raced.state"));
    fault = conf.get("raced.fault", "");
    mortal = conf.getBoolean("raced.mortal", false);
  }

  @Override
  public String getScheme() {
    return HOME.getScheme();
  }

  @Override
  public URI getUri() {
    return HOME;
  }

  @Override
  public Path getWorkingDirectory() {
    return working;
  }

  @Override
  public void setWorkingDirectory(Path path) {
    working = makeQualified(path);
  }

  private boolean is(String name) {
    return fault.equals(name);
  }

  private String key(Path path) {
    return makeQualified(path).toUri().getPath();
  }

  private synchronized <T> T atomically(Call<T> call) throws IOException {
    state.take();
    try {
      return call.made();
    } finally {
      state.give();
    }
  }

  /** Lets others in, in the middle of a call. */
  private void gap() throws IOException {
    state.give();
    try {
      Thread.sleep(GAP_MILLISECONDS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    } finally {
      state.take();
    }
  }

  // What is written

  @Override
  public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite, int buffer,
      short replication, long block, Progressable progress) throws IOException {
    String key = key(path);
    return atomically(() -> {
      remembered.clear();
      checkAncestors(key);
      checkWritable(key, overwrite);
      boolean isNew = !state.nodes.containsKey(key);
      if (isNew && !overwrite && is("create-checks-then-acts")) {
        gap();
        checkWritable(key, true);
      } else if (isNew && is("file-with-children")) {
        gap();
        if (!state.isDirectory(key)) {
          checkWritable(key, overwrite);
        }
      } else if (!isNew && is("overwrite-deletes-first")) {
        state.nodes.remove(key);
        gap();
        checkAncestors(key);
        checkWritable(key, true);
      }
      makeParents(key);
      String place = key;
      if (isNew && is("create-writes-beside")) {
        place = key + "_COPYING_";
      }
      Out out = newOut(place);
      State.Node node = new State.Node(new byte[0]);
      node.writer = out.token;
      if (isNew && is("close-publishes-later")) {
        node.knownTo = me;
        node.hiddenUntil = Long.MAX_VALUE;
      }
      state.nodes.put(place, node);
      return new FSDataOutputStream(out, statistics);
    });
  }

  /** A stream to a file; it can save what it has where the FileSystem was asked to let clients die. */
  private Out newOut(String key) {
    return mortal ? new Saving(key) : new Out(key);
  }

  @Override
  public FSDataOutputStream append(Path path, int buffer, Progressable progress) throws IOException {
    String key = key(path);
    return atomically(() -> {
      remembered.clear();
      checkFile(key);
      Out out = newOut(key);
      if (is("append-lost")) {
        out.held = state.nodes.get(key).data;
        gap();
        return new FSDataOutputStream(out, statistics);
      }
      if (!state.nodes.get(key).writer.isEmpty() && !mortal) {
        throw new IOException("it is being written: " + key);
      }
      state.nodes.get(key).writer = out.token;
      return new FSDataOutputStream(out, statistics);
    });
  }

  /** What is written becomes part of the file when it is closed. */
  private class Out extends OutputStream {
    final String key;
    final String token = UUID.randomUUID().toString();
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private byte[] held;
    boolean closed;

    Out(String key) {
      this.key = key;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (closed) {
        throw new IOException("closed");
      }
      written.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      if (is("close-writes-later")) {
        Thread later = new Thread(this::saveLater);
        later.setDaemon(true);
        later.start();
        return;
      }
      save();
    }

    private void saveLater() {
      try {
        Thread.sleep(LATE_MILLISECONDS);
        save();
      } catch (InterruptedException | IOException error) {
        throw new IllegalStateException(error);
      }
    }

    private void save() throws IOException {
      atomically(() -> {
        remembered.clear();
        State.Node node = held != null ? state.nodes.get(key) : mine();
        if (node == null) {
          if (is("create-checks-then-acts") && state.isFile(key)) {
            return null;
          }
          throw new FileNotFoundException("nothing to write to: " + key);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(held != null ? held : node.data);
        written.writeTo(whole);
        node.data = whole.toByteArray();
        node.writer = "";
        if (node.hiddenUntil == Long.MAX_VALUE) {
          node.hiddenUntil = System.currentTimeMillis() + LATE_MILLISECONDS;
        }
        if (key.endsWith("_COPYING_") && state.nodes.get(key) == node) {
          gap();
          state.move(key, key.substring(0, key.length() - "_COPYING_".length()));
        }
        return null;
      });
    }

    /** The file that this stream writes, wherever it was moved to. */
    State.Node mine() {
      for (State.Node node : state.nodes.values()) {
        if (node.data != null && node.writer.equals(token)) {
          return node;
        }
      }
      return null;
    }
  }

  /** A stream whose bytes are in the file once hflush or hsync has returned. */
  private final class Saving extends Out implements Syncable, StreamCapabilities {
    Saving(String key) {
      super(key);
    }

    @Override
    public boolean hasCapability(String capability) {
      return capability.equalsIgnoreCase(StreamCapabilities.HFLUSH)
          || capability.equalsIgnoreCase(StreamCapabilities.HSYNC);
    }

    @Override
    public void hflush() throws IOException {
      if (closed) {
        throw new IOException("closed");
      }
      if (is("hflush-kept")) {
        return;
      }
      atomically(() -> {
        remembered.clear();
        State.Node node = mine();
        if (node == null) {
          throw new FileNotFoundException("nothing to write to: " + key);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(node.data);
        written.writeTo(whole);
        node.data = whole.toByteArray();
        written.reset();
        return null;
      });
    }

    @Override
    public void hsync() throws IOException {
      hflush();
    }
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    String key = key(path);
    return atomically(() -> {
      remembered.clear();
      checkAncestors(key);
      if (state.isFile(key)) {
        throw new FileAlreadyExistsException("a file: " + key);
      }
      if (!state.nodes.containsKey(key) && is("mkdirs-fails-beside-mkdirs")) {
        gap();
        if (state.nodes.containsKey(key)) {
          return false;
        }
      }
      makeParents(key);
      state.nodes.putIfAbsent(key, new State.Node(null));
      return true;
    });
  }

  // What is moved and deleted

  @Override
  public boolean rename(Path source, Path destination) throws IOException {
    String from = key(source);
    String into = key(destination);
    return atomically(() -> {
      remembered.clear();
      if (!state.nodes.containsKey(from)) {
        throw new FileNotFoundException("there is no " + from);
      }
      String to = state.isDirectory(into) && !from.equals(into) ? into + "/" + source.getName() : into;
      if (from.equals(to)) {
        return true;
      }
      if (from.equals("/") || to.startsWith(from + "/")) {
        throw new IOException("can't be moved: " + from + " to " + to);
      }
      if (!state.nodes.containsKey(State.parent(to))) {
        throw new FileNotFoundException("there is no " + State.parent(to));
      }
      checkAncestors(to);
      if (state.nodes.containsKey(to)) {
        throw new FileAlreadyExistsException("exists: " + to);
      }
      move(from, to);
      return true;
    });
  }

  private void move(String from, String to) throws IOException {
    if (is("rename-onto-what-came-meanwhile")) {
      gap();
      if (state.nodes.containsKey(from) && state.isDirectory(State.parent(to))) {
        state.remove(to);
        state.move(from, to);
      }
    } else if (is("rename-copies-and-deletes") && state.isFile(from)) {
      state.nodes.put(to, new State.Node(state.nodes.get(from).data));
      gap();
      state.remove(from);
    } else if (is("rename-child-by-child") && !state.children(from).isEmpty()) {
      state.nodes.put(to, new State.Node(null));
      for (String child : state.children(from)) {
        gap();
        if (state.nodes.containsKey(child) && state.nodes.containsKey(to)) {
          state.move(child, to + child.substring(from.length()));
        }
      }
      state.remove(from);
    } else if (is("rename-shows-neither-name")) {
      TreeMap<String, State.Node> held = new TreeMap<>();
      for (String one : state.subtree(from)) {
        held.put(to + one.substring(from.length()), state.nodes.remove(one));
      }
      gap();
      if (!state.nodes.containsKey(to) && state.isDirectory(State.parent(to))) {
        state.nodes.putAll(held);
      }
    } else {
      state.move(from, to);
    }
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    String key = key(path);
    return atomically(() -> {
      remembered.clear();
      State.Node node = state.nodes.get(key);
      if (node == null || key.equals("/")) {
        return false;
      }
      boolean isFull = node.data == null && !state.children(key).isEmpty();
      if (isFull && !recursive) {
        throw new PathIsNotEmptyDirectoryException(key);
      }
      if (isFull && is("delete-leaves-orphans")) {
        List<String> doomed = state.subtree(key);
        gap();
        doomed.forEach(state.nodes::remove);
        return true;
      }
      state.remove(key);
      if (node.data != null && is("delete-seen-late")) {
        node.knownTo = me;
        node.hiddenUntil = System.currentTimeMillis() + LATE_MILLISECONDS;
        state.ghosts.put(key, node);
      }
      return true;
    });
  }

  // What is looked at

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    String key = key(path);
    return atomically(() -> {
      Object known = remembered.get(key);
      if (known instanceof FileStatus && is("status-cached")) {
        return (FileStatus) known;
      }
      if (known instanceof String && is("absence-cached")) {
        throw new FileNotFoundException((String) known);
      }
      State.Node ghost = state.ghosts.get(key);
      State.Node node = state.nodes.get(key);
      if (node == null && ghost != null && ghost.isHiddenFrom(me)) {
        node = ghost;
      }
      if (node == null || node.isHiddenFrom(me) && node != ghost) {
        remembered.put(key, "there is no " + key);
        throw new FileNotFoundException("there is no " + key);
      }
      FileStatus status = status(key, node);
      remembered.put(key, status);
      return status;
    });
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    String key = key(path);
    return atomically(() -> {
      if (remembered.get("listing " + key) instanceof FileStatus[] && is("listing-cached")) {
        return (FileStatus[]) remembered.get("listing " + key);
      }
      State.Node node = state.nodes.get(key);
      if (node == null || node.isHiddenFrom(me)) {
        throw new FileNotFoundException("there is no " + key);
      }
      List<FileStatus> found = new ArrayList<>();
      for (String one : node.data != null ? List.of(key) : state.children(key)) {
        if (!state.nodes.get(one).isHiddenFrom(me)) {
          found.add(status(one, state.nodes.get(one)));
        }
      }
      FileStatus[] listed = found.toArray(new FileStatus[0]);
      remembered.put("listing " + key, listed);
      return listed;
    });
  }

  @Override
  public FSDataInputStream open(Path path, int buffer) throws IOException {
    String key = key(path);
    byte[] data = atomically(() -> {
      checkFile(key);
      if (state.nodes.get(key).isHiddenFrom(me)) {
        throw new FileNotFoundException("there is no " + key);
      }
      return state.nodes.get(key).data;
    });
    return new FSDataInputStream(new Bytes(data, is("positioned-reads-swapped") ? GAP_MILLISECONDS : 0));
  }

  private FileStatus status(String key, State.Node node) {
    boolean directory = node.data == null;
    return new FileStatus(directory ? 0 : node.data.length, directory, 1, BLOCK, 0, makeQualified(new Path(key)));
  }

  // Checks

  private void checkFile(String key) throws IOException {
    if (!state.isFile(key)) {
      throw new FileNotFoundException("there is no file " + key);
    }
  }

  private void checkWritable(String key, boolean overwrite) throws IOException {
    if (state.isDirectory(key) || (state.isFile(key) && !overwrite)) {
      throw new FileAlreadyExistsException("exists: " + key);
    }
  }

  private void checkAncestors(String key) throws IOException {
    for (String above = State.parent(key); !above.equals("/"); above = State.parent(above)) {
      if (state.isFile(above)) {
        throw new ParentNotDirectoryException("a file: " + above);
      }
    }
  }

  private void makeParents(String key) {
    for (String above = State.parent(key); !above.equals("/"); above = State.parent(above)) {
      state.nodes.putIfAbsent(above, new State.Node(null));
    }
  }
}
