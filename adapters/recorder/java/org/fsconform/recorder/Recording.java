package org.fsconform.recorder;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.util.VersionInfo;

/**
 * The file to which this process records its calls: JSON, a line a call, written by a thread of its own.
 *
 * <p>The queue is bounded: a caller waits for room in it, as a call that is left out would make the recording wrong.
 * What is queued is written within {@link #FLUSH_MILLISECONDS}; a process that ends in order writes a last line that
 * says so.
 */
final class Recording {
  static final String DIRECTORY = "fsconform.record.directory";
  static final int FORMAT = 1;
  static final long FLUSH_MILLISECONDS = 200;
  private static final int QUEUE = 16384;
  private static final int AFTER_FILE_SYSTEMS = 1; // FileSystem.SHUTDOWN_HOOK_PRIORITY is 10, and runs before

  private static Recording only;

  private final OutputStream out;
  private final ArrayBlockingQueue<String> queue = new ArrayBlockingQueue<>(QUEUE);
  private final Thread writer;
  private final Map<String, Integer> stores = new HashMap<>();
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong streams = new AtomicLong();
  private volatile boolean ended;
  private volatile IOException trouble;

  /** The recording of this process, begun where it is none yet. Fails without a directory to write to. */
  static synchronized Recording of(Configuration configuration) throws IOException {
    if (only == null) {
      String directory = configuration.getTrimmed(DIRECTORY, "");
      if (directory.isEmpty()) {
        throw new IOException(DIRECTORY + " is not set: set it to a folder of this machine, as `fsconform record` says");
      }
      only = new Recording(new File(directory));
    }
    return only;
  }

  private Recording(File directory) throws IOException {
    Files.createDirectories(directory.toPath());
    String process = ManagementFactory.getRuntimeMXBean().getName().replaceAll("[^A-Za-z0-9.@_-]", "_");
    File file = new File(directory, "calls-" + process + "-" + Long.toHexString(System.nanoTime()) + ".jsonl");
    out = new BufferedOutputStream(new FileOutputStream(file), 1 << 16);
    Line header = new Line("begin");
    header.number("format", FORMAT).text("process", process).text("machine", machine());
    header.number("nanos", System.nanoTime()).number("millis", System.currentTimeMillis());
    header.text("hadoop", VersionInfo.getVersion());
    out.write(header.bytes());
    out.flush();
    writer = new Thread(this::write, "fsconform-recorder");
    writer.setDaemon(true);
    writer.start();
    ShutdownHookManager.get().addShutdownHook(this::end, AFTER_FILE_SYSTEMS);
  }

  /** What all processes share whose System.nanoTime counts from the same moment: one boot of one machine. */
  private static String machine() {
    try {
      return new String(Files.readAllBytes(Paths.get("/proc/sys/kernel/random/boot_id")), StandardCharsets.US_ASCII).trim();
    } catch (IOException | RuntimeException error) {
      return "";
    }
  }

  /** The number of a store in this file, which is given where it is met first. */
  synchronized int store(URI uri, Class<? extends FileSystem> made) throws IOException {
    String name = uri.getScheme() + "://" + (uri.getAuthority() == null ? "" : uri.getAuthority());
    Integer known = stores.get(name);
    if (known == null) {
      known = stores.size();
      stores.put(name, known);
      put(new Line("store").number("store", known).text("uri", name).text("implementation", made.getName()));
    }
    return known;
  }

  long nextStream() {
    return streams.incrementAndGet();
  }

  void call(Line line) throws IOException {
    calls.incrementAndGet();
    put(line);
  }

  /** Fails once the file could not be written: an application whose calls are lost is not recorded, and has to know. */
  private void put(Line line) throws IOException {
    if (trouble != null) {
      throw new IOException("the recording can't be written: " + trouble.getMessage(), trouble);
    }
    String text = line.toString();
    if (ended) {
      written(text);
      return;
    }
    boolean interrupted = false;
    while (true) {
      try {
        queue.put(text);
        break;
      } catch (InterruptedException error) {
        interrupted = true; // the call is over: it must be in the file
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void write() {
    try {
      boolean pending = false;
      while (true) {
        String text = queue.poll(FLUSH_MILLISECONDS, TimeUnit.MILLISECONDS);
        synchronized (out) {
          if (text != null) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
            pending = true;
          }
          if (pending && queue.isEmpty()) {
            out.flush();
            pending = false;
          }
        }
        if (text == null && ended) {
          return;
        }
      }
    } catch (IOException error) {
      trouble = error;
      queue.clear();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  private void written(String text) throws IOException {
    synchronized (out) {
      out.write(text.getBytes(StandardCharsets.US_ASCII));
      out.flush();
    }
  }

  private void end() {
    ended = true;
    try {
      writer.join(30_000);
      if (trouble == null && !writer.isAlive()) {
        written(new Line("end").number("calls", calls.get()).number("nanos", System.nanoTime()).toString());
      }
    } catch (IOException | InterruptedException error) {
      System.err.println("fsconform recorder: the end of the recording was not written: " + error);
    }
  }
}
