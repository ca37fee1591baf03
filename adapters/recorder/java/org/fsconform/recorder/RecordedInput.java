package org.fsconform.recorder;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.CanSetReadahead;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;

/**
 * An input stream that records the whole file where it is read from its beginning to its end, and else that it was read.
 *
 * <p>Callers look at which interfaces a stream has, so it has one of another class where the stream within reads into
 * buffers.
 */
class RecordedInput extends FSInputStream
    implements CanUnbuffer, CanSetReadahead, CanSetDropBehind, StreamCapabilities, IOStatisticsSource {
  protected final FSDataInputStream inner;
  private final Seen seen;
  private final Path path;
  private final long begin;
  private final Digest read = new Digest();
  private boolean whole = true;
  private boolean told;

  private RecordedInput(Seen seen, FSDataInputStream inner, Path path, long begin) {
    this.seen = seen;
    this.inner = inner;
    this.path = path;
    this.begin = begin;
  }

  static RecordedInput of(Seen seen, FSDataInputStream inner, Path path, long begin) {
    boolean buffers = inner.getWrappedStream() instanceof ByteBufferReadable;
    boolean places = inner.getWrappedStream() instanceof ByteBufferPositionedReadable;
    if (buffers && places) {
      return new OfBuffersAndPlaces(seen, inner, path, begin);
    }
    return buffers ? new OfBuffers(seen, inner, path, begin) : new RecordedInput(seen, inner, path, begin);
  }

  private void tell(Throwable error) throws IOException {
    if (told) {
      return;
    }
    told = true;
    Line line = seen.line("open", begin, System.nanoTime(), path);
    if (error != null) {
      line.error(error);
    } else if (whole) {
      read.addTo(line);
    } else {
      line.flag("part", true);
    }
    seen.record(line);
  }

  /** The next bytes of a sequential read; it ends where there is none left. */
  private synchronized int next(Seen.Action<Integer> action, Bytes bytes) throws IOException {
    int count;
    try {
      count = seen.within(action);
    } catch (IOException | RuntimeException | Error error) {
      if (whole && error instanceof IOException) {
        tell(error);
      }
      whole = false;
      throw error;
    }
    if (whole && !told) {
      if (count < 0) {
        tell(null);
      } else {
        bytes.add(count);
      }
    }
    return count;
  }

  private interface Bytes {
    void add(int count);
  }

  @Override
  public int read() throws IOException {
    int[] value = {-1};
    next(() -> value[0] = inner.read(), count -> read.add(value[0]));
    return value[0];
  }

  @Override
  public int read(byte[] bytes, int offset, int count) throws IOException {
    return next(() -> inner.read(bytes, offset, count), found -> read.add(bytes, offset, found));
  }

  protected int next(ByteBuffer buffer) throws IOException {
    int start = buffer.position();
    return next(() -> inner.read(buffer), count -> {
      ByteBuffer view = buffer.duplicate();
      view.position(start).limit(start + count);
      read.add(view);
    });
  }

  @Override
  public long skip(long count) throws IOException {
    if (count > 0) {
      part();
    }
    return inner.skip(count);
  }

  @Override
  public int available() throws IOException {
    return inner.available();
  }

  @Override
  public void seek(long position) throws IOException {
    if (position != inner.getPos()) {
      part();
    }
    inner.seek(position);
  }

  private synchronized void part() {
    whole = false;
  }

  @Override
  public long getPos() throws IOException {
    return inner.getPos();
  }

  @Override
  public boolean seekToNewSource(long position) throws IOException {
    return inner.seekToNewSource(position);
  }

  @Override
  public int read(long position, byte[] bytes, int offset, int count) throws IOException {
    return inner.read(position, bytes, offset, count);
  }

  @Override
  public void readFully(long position, byte[] bytes, int offset, int count) throws IOException {
    inner.readFully(position, bytes, offset, count);
  }

  @Override
  public void readFully(long position, byte[] bytes) throws IOException {
    inner.readFully(position, bytes);
  }

  @Override
  public int minSeekForVectorReads() {
    return inner.minSeekForVectorReads();
  }

  @Override
  public int maxReadSizeForVectorReads() {
    return inner.maxReadSizeForVectorReads();
  }

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
    inner.readVectored(ranges, allocate);
  }

  @Override
  public void unbuffer() {
    inner.unbuffer();
  }

  @Override
  public void setReadahead(Long readahead) throws IOException {
    inner.setReadahead(readahead);
  }

  @Override
  public void setDropBehind(Boolean dropBehind) throws IOException {
    inner.setDropBehind(dropBehind);
  }

  @Override
  public boolean hasCapability(String capability) {
    return inner.hasCapability(capability);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return inner.getIOStatistics();
  }

  @Override
  public void close() throws IOException {
    part(); // what was not read to its end is not known whole
    try {
      inner.close();
    } finally {
      tell(null);
    }
  }

  @Override
  public String toString() {
    return inner.toString();
  }

  private static class OfBuffers extends RecordedInput implements ByteBufferReadable {
    OfBuffers(Seen seen, FSDataInputStream inner, Path path, long begin) {
      super(seen, inner, path, begin);
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
      return next(buffer);
    }
  }

  private static final class OfBuffersAndPlaces extends OfBuffers implements ByteBufferPositionedReadable {
    OfBuffersAndPlaces(Seen seen, FSDataInputStream inner, Path path, long begin) {
      super(seen, inner, path, begin);
    }

    @Override
    public int read(long position, ByteBuffer buffer) throws IOException {
      return inner.read(position, buffer);
    }

    @Override
    public void readFully(long position, ByteBuffer buffer) throws EOFException, IOException {
      inner.readFully(position, buffer);
    }
  }
}
