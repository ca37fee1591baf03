package faulty;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;

/** A stream that a file is read by, without a buffer and with at most one fault. */
class FaultyInputStream extends FSInputStream implements StreamCapabilities {
  private final FileChannel channel;
  private final String fault;
  private long position;
  private long sought;
  private boolean closed;

  FaultyInputStream(FileChannel channel, String fault) {
    this.channel = channel;
    this.fault = fault;
  }

  private boolean is(String name) {
    return fault.equals(name);
  }

  private void checkOpen() throws IOException {
    if (closed && !is("read-once-closed")) {
      throw new IOException("the stream is closed");
    }
  }

  private long end() throws IOException {
    return is("end-early") ? Math.max(0, channel.size() - 1) : channel.size();
  }

  private int fetch(long from, byte[] array, int offset, int length) throws IOException {
    long left = end() - from;
    return left <= 0 ? -1 : channel.read(ByteBuffer.wrap(array, offset, (int) Math.min(left, length)), from);
  }

  // Reading on

  @Override
  public synchronized int read() throws IOException {
    checkOpen();
    byte[] one = new byte[1];
    if (fetch(position, one, 0, 1) < 0) {
      return is("end-is-zero") ? 0 : -1;
    }
    position++;
    return is("byte-signed") ? one[0] : one[0] & 0xff;
  }

  @Override
  public synchronized int read(byte[] array, int offset, int length) throws IOException {
    checkOpen();
    if (array == null && is("read-into-null")) {
      return -1;
    }
    Objects.checkFromIndexSize(offset, length, array.length);
    if (length == 0) {
      return 0;
    }
    if (is("read-drops-byte") && length > 1) {
      position++;
    }
    int count = fetch(position, array, is("read-offset-ignored") ? 0 : offset, length);
    if (count > 0) {
      position += is("read-doubles-byte") && count > 1 ? count - 1 : count;
    }
    return count;
  }

  @Override
  public synchronized int available() throws IOException {
    checkOpen();
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, end() - position));
  }

  // Positions

  @Override
  public synchronized void seek(long place) throws IOException {
    checkOpen();
    if (place < 0) {
      if (is("seek-below-zero")) {
        return;
      }
      throw new EOFException("a place below 0: " + place);
    }
    position = sought = is("seek-shifts") && place > 0 ? place + 1 : place;
  }

  @Override
  public synchronized long getPos() {
    return is("position-of-last-seek") ? sought : position;
  }

  @Override
  public synchronized boolean seekToNewSource(long place) {
    if (is("new-source-rewinds")) {
      position = 0;
    }
    return false;
  }

  // Positioned reads

  @Override
  public int read(long place, byte[] array, int offset, int length) throws IOException {
    checkOpen();
    validatePositionedReadArgs(place, array, offset, length);
    if (length == 0) {
      return 0;
    }
    int count = fetch(place, array, is("pread-offset-ignored") ? 0 : offset, length);
    if (is("pread-moves")) {
      seek(place + Math.max(count, 0));
    }
    return count;
  }

  @Override
  public void readFully(long place, byte[] array, int offset, int length) throws IOException {
    try {
      super.readFully(place, array, offset, length);
    } catch (EOFException error) {
      if (place < 0 || !is("fully-short")) {
        throw error;
      }
    }
  }

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
    checkOpen();
    if (ranges.stream().anyMatch(Objects::isNull)) {
      throw new IllegalArgumentException("null among the ranges");
    }
    super.readVectored(ranges, allocate);
    if (is("ranges-swapped") && ranges.size() > 1) {
      CompletableFuture<ByteBuffer> first = ranges.get(0).getData();
      ranges.get(0).setData(ranges.get(1).getData());
      ranges.get(1).setData(first);
    } else if (is("range-forgotten") && ranges.size() > 1) {
      ranges.get(1).setData(null);
    } else if (is("range-beyond-end-is-zeros")) {
      for (FileRange one : ranges) {
        if (one.getOffset() + one.getLength() > end()) {
          one.setData(CompletableFuture.completedFuture(allocate.apply(one.getLength())));
        }
      }
    }
  }

  // Ending, and what is claimed

  @Override
  public synchronized void close() throws IOException {
    if (closed && is("second-close-of-reader-raises")) {
      checkOpen();
    }
    closed = true;
    if (!is("read-once-closed")) {
      channel.close();
    }
  }

  @Override
  public boolean hasCapability(String name) {
    return is("unbuffer-claimed") && name.equalsIgnoreCase(StreamCapabilities.UNBUFFER);
  }
}
