package faulty;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;

/** A stream that writes a file: a buffer before a channel, with at most one fault. */
class FaultyOutputStream extends OutputStream implements Syncable, StreamCapabilities {
  private static final int MOST_HELD = 8192;
  private static final Set<Path> LEASES = ConcurrentHashMap.newKeySet();
  private static final Map<Path, FaultyOutputStream> AHEAD = new ConcurrentHashMap<>();

  private final Path file;
  private final FileChannel channel;
  private final String fault;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private byte[] late;
  private int lateOffset;
  private int lateLength;
  private byte[] last = new byte[0];
  private boolean begun;
  private boolean closed;

  FaultyOutputStream(Path file, FileChannel channel, String fault) {
    this.file = file;
    this.channel = channel;
    this.fault = fault;
    if (is("length-ahead")) {
      AHEAD.put(file, this);
    }
  }

  /** Refuses a file whose lease was kept. */
  static void checkLease(Path file) throws IOException {
    if (LEASES.contains(file)) {
      throw new IOException("a lease is held on " + file);
    }
  }

  /** How many bytes the length in the status of a file is ahead of those that are there. */
  static int ahead(Path file) {
    FaultyOutputStream stream = AHEAD.get(file);
    return stream == null ? 0 : stream.held();
  }

  private synchronized int held() {
    return held.size();
  }

  private boolean is(String name) {
    return fault.equals(name);
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("the stream is closed: " + file);
    }
  }

  // What is written

  @Override
  public synchronized void write(int value) throws IOException {
    int cut = is("byte-not-cut") ? Math.max(0, Math.min(value, 127)) : value;
    write(new byte[] {(byte) cut}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] array, int offset, int length) throws IOException {
    if (closed && is("write-once-closed-ignored")) {
      return;
    }
    if (closed && is("write-once-closed-written")) {
      Files.write(file, Arrays.copyOfRange(array, offset, offset + length), StandardOpenOption.APPEND);
      return;
    }
    checkOpen();
    if (array == null && is("null-written")) {
      return;
    }
    boolean range = offset >= 0 && length >= 0 && length <= array.length - offset;
    if (!range && is("range-unchecked")) {
      return;
    }
    if (!range) {
      throw new IndexOutOfBoundsException("no range of " + array.length + ": " + offset + ", " + length);
    }
    if (is("array-kept") || is("last-write-dropped")) {
      settle();
      late = is("array-kept") ? array : array.clone();
      lateOffset = offset;
      lateLength = length;
    } else if (is("writes-swapped") && late == null) {
      late = array.clone();
      lateOffset = offset;
      lateLength = length;
    } else {
      take(array, is("offset-ignored") ? 0 : offset, length);
      settle();
    }
  }

  /** Takes what was put off. */
  private void settle() throws IOException {
    if (late != null) {
      byte[] array = late;
      late = null;
      take(array, lateOffset, lateLength);
    }
  }

  private void take(byte[] array, int offset, int length) throws IOException {
    if (is("bytes-shifted") && !begun) {
      held.write(0);
    }
    begun = true;
    held.write(array, offset, is("large-write-cut") ? Math.min(length, 1 << 16) : length);
    if (held.size() > MOST_HELD && !is("hflush-hides") && !is("hsync-hides")) {
      save();
    }
  }

  private void save() throws IOException {
    if (is("overwrite-late") && channel.position() == 0) {
      channel.truncate(0);
    }
    last = held.toByteArray();
    held.reset();
    for (ByteBuffer left = ByteBuffer.wrap(last); left.hasRemaining();) {
      channel.write(left);
    }
  }

  // What is made visible

  @Override
  public synchronized void flush() throws IOException {
    if (closed) {
      return;
    }
    settle();
    byte[] saved = held.toByteArray();
    save();
    if (is("flush-doubles-buffer")) {
      held.writeBytes(saved);
      save();
    }
  }

  @Override
  public synchronized void hflush() throws IOException {
    if (closed && is("hflush-once-closed")) {
      return;
    }
    checkOpen();
    if (is("hflush-unsupported")) {
      throw new UnsupportedOperationException("hflush");
    }
    if (!is("hflush-hides")) {
      byte[] saved = held.toByteArray();
      if (is("hflush-doubles-byte") && saved.length > 0) {
        held.write(saved[saved.length - 1]);
      }
      flush();
    }
  }

  @Override
  public synchronized void hsync() throws IOException {
    if (closed && is("hsync-once-closed")) {
      return;
    }
    checkOpen();
    if (!is("hsync-hides")) {
      flush();
      channel.force(true);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      again();
      return;
    }
    closed = true;
    AHEAD.remove(file, this);
    if (!is("last-write-dropped")) {
      settle();
    }
    if (is("close-drops-byte") && held.size() > 0) {
      byte[] whole = held.toByteArray();
      held.reset();
      held.write(whole, 0, whole.length - 1);
    }
    save();
    channel.close();
    if (is("lease-kept")) {
      LEASES.add(file);
    }
    if (is("close-resets-time")) {
      Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    }
  }

  private void again() throws IOException {
    if (is("second-close-raises")) {
      checkOpen();
    } else if (is("second-close-writes")) {
      Files.write(file, last, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  // What is claimed

  @Override
  public synchronized boolean hasCapability(String name) {
    if (closed && is("capability-once-closed-raises")) {
      throw new IllegalStateException("the stream is closed: " + file);
    }
    switch (name.toLowerCase(Locale.ROOT)) {
      case StreamCapabilities.HFLUSH:
        return !is("hflush-not-claimed");
      case StreamCapabilities.HSYNC:
        return true;
      case StreamCapabilities.DROPBEHIND:
        return is("dropbehind-claimed");
      case CommonPathCapabilities.ABORTABLE_STREAM:
        return this instanceof Abortable || is("claims-abort");
      case StreamCapabilities.READBYTEBUFFER:
        return is("claims-reading");
      default:
        return is("claims-unknown") && !name.startsWith("in:");
    }
  }

  /** One that claims to abort. */
  static final class Aborting extends FaultyOutputStream implements Abortable {
    private final boolean raises;

    Aborting(Path file, FileChannel channel, String fault) {
      super(file, channel, fault);
      raises = fault.equals("abort-raises");
    }

    @Override
    public AbortableResult abort() {
      if (raises) {
        throw new IllegalStateException("not now");
      }
      boolean already = super.closed;
      IOException trouble = null;
      try {
        close();
      } catch (IOException error) {
        trouble = error;
      }
      return new Result(already, trouble);
    }
  }

  private static final class Result implements Abortable.AbortableResult {
    private final boolean already;
    private final IOException trouble;

    Result(boolean already, IOException trouble) {
      this.already = already;
      this.trouble = trouble;
    }

    @Override
    public boolean alreadyClosed() {
      return already;
    }

    @Override
    public IOException anyCleanupException() {
      return trouble;
    }
  }
}
