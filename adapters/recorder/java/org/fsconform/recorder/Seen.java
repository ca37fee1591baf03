package org.fsconform.recorder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What records the calls of one FileSystem: the outermost ones alone, as a FileSystem calls itself. */
public final class Seen {
  private final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);
  private final FileSystem store;
  private volatile Recording recording; // null until the FileSystem is initialized
  private int number;

  /** What a method does, and gives. */
  public interface Action<T> {
    T run() throws IOException;
  }

  /** What is recorded of what a method gave. */
  interface Result<T> {
    void add(Line line, T value);
  }

  public Seen(FileSystem store) {
    this.store = store;
  }

  /** From here on calls are recorded. */
  public void begin(Class<? extends FileSystem> connector) throws IOException {
    Recording made = Recording.of(store.getConf());
    number = made.store(store.getUri(), connector);
    recording = made;
  }

  /** Whether a call is one that the FileSystem makes of itself: within another on this thread, or while it begins. */
  boolean isSilent() {
    return recording == null || depth.get()[0] > 0;
  }

  <T> T within(Action<T> action) throws IOException {
    int[] level = depth.get();
    level[0]++;
    try {
      return action.run();
    } finally {
      level[0]--;
    }
  }

  String text(Path path) {
    return path == null ? "" : store.makeQualified(path).toUri().getPath();
  }

  /** A line of a call on these paths; one that can't be written as it is becomes a change of all that is around it. */
  Line line(String name, long begin, long end, Path... paths) {
    List<String> texts = new ArrayList<>();
    boolean plain = true;
    for (Path path : paths) {
      String whole;
      try {
        whole = text(path);
      } catch (RuntimeException error) { // of another FileSystem: the call refused it
        whole = "";
      }
      plain &= !whole.isEmpty() && Names.isPlain(whole);
      texts.add(whole.isEmpty() ? whole : Names.plainPart(whole));
    }
    Line line = new Line("call").text("call", plain ? name : "other");
    line.number("store", number).number("thread", Thread.currentThread().getId());
    line.number("begin", begin).number("end", end);
    texts.removeIf(String::isEmpty);
    return line.paths("paths", texts);
  }

  void record(Line line) throws IOException {
    recording.call(line);
  }

  private <T> T call(String name, Result<Line> given, Result<T> result, Action<T> action, Path... paths)
      throws IOException {
    if (isSilent()) {
      return action.run();
    }
    T value;
    long begin = System.nanoTime();
    try {
      value = within(action);
    } catch (IOException | RuntimeException | Error error) {
      Line line = line(name, begin, System.nanoTime(), paths);
      given.add(line, line);
      recorded(line.error(error));
      throw error;
    }
    Line line = line(name, begin, System.nanoTime(), paths);
    given.add(line, line);
    result.add(line, value);
    recorded(line);
    return value;
  }

  /** A line is written, or the process is told that recording ended. */
  private void recorded(Line line) throws IOException {
    recording.call(line);
  }

  public boolean did(String name, Action<Boolean> action, Path... paths) throws IOException {
    return call(name, (line, same) -> {}, (line, value) -> line.flag("did", value), action, paths);
  }

  public boolean did(String name, String detail, long value, Action<Boolean> action, Path... paths) throws IOException {
    return call(name, (line, same) -> line.number(detail, value), (line, is) -> line.flag("did", is), action, paths);
  }

  public boolean did(String name, String detail, boolean value, Action<Boolean> action, Path... paths)
      throws IOException {
    return call(name, (line, same) -> line.flag(detail, value), (line, is) -> line.flag("did", is), action, paths);
  }

  public void done(String name, String detail, boolean value, Action<Void> action, Path... paths) throws IOException {
    call(name, (line, same) -> line.flag(detail, value), (line, nothing) -> {}, action, paths);
  }

  /** Any other call that changes something at these paths: what it does is not told. */
  public <T> T other(String name, Action<T> action, Path... paths) throws IOException {
    return call("other", (line, same) -> line.text("name", name), (line, value) -> {}, action, paths);
  }

  /** From here on calls that are not recorded may change anything at this path, and below it. */
  public void unfollowed(String name, Path path) {
    try {
      long now = System.nanoTime();
      if (!isSilent()) {
        recording.call(line("unfollowed", now, now, path).text("name", name));
      }
    } catch (IOException error) {
      throw new java.io.UncheckedIOException(error);
    }
  }

  public FileStatus status(Action<FileStatus> action, Path path) throws IOException {
    return call("getFileStatus", (line, same) -> {}, (line, value) -> {
      if (value != null) {
        line.status(value, value.getPath().toUri().getPath());
      }
    }, action, path);
  }

  public FileStatus[] listed(Action<FileStatus[]> action, Path path) throws IOException {
    return call("listStatus", (line, same) -> {}, (line, value) -> {
      if (value != null) {
        line.listed(value);
      }
    }, action, path);
  }

  /** A file that is opened to be written, by {@code mode}: create, overwrite, append, or any other. */
  public FSDataOutputStream writer(String mode, boolean parents, Action<FSDataOutputStream> action, Path path)
      throws IOException {
    if (isSilent()) {
      return action.run();
    }
    long stream = recording.nextStream();
    FSDataOutputStream made = call("open to write", (line, same) -> {
      line.text("mode", mode).flag("parents", parents).number("stream", stream);
    }, (line, value) -> {}, action, path);
    return made == null ? null : new FSDataOutputStream(new RecordedOutput(this, made, path, stream), null, made.getPos());
  }

  /** A file that is opened to be read: what it gives is recorded once it was read or closed. */
  public FSDataInputStream reader(Action<FSDataInputStream> action, Path path) throws IOException {
    if (isSilent()) {
      return action.run();
    }
    long begin = System.nanoTime();
    FSDataInputStream made;
    try {
      made = within(action);
    } catch (IOException | RuntimeException | Error error) {
      recording.call(line("open", begin, System.nanoTime(), path).error(error));
      throw error;
    }
    return reading(made, begin, path);
  }

  public FSDataInputStream reading(FSDataInputStream made, long begin, Path path) {
    return made == null ? null : new FSDataInputStream(RecordedInput.of(this, made, path, begin));
  }

  /** As {@link #reader} failed, where that is heard of later. */
  public void unread(Throwable error, long begin, Path path) throws IOException {
    recording.call(line("open", begin, System.nanoTime(), path).error(error));
  }
}
