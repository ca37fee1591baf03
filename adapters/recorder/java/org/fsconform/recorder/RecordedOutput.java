package org.fsconform.recorder;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;

/**
 * An output stream that records what each sync gave, and at its close the length and digest of all that was written.
 *
 * <p>Locks are the stream's own, as it may be in the hands of several threads.
 */
final class RecordedOutput extends OutputStream
    implements Syncable, StreamCapabilities, CanSetDropBehind, Abortable, IOStatisticsSource {
  private final Seen seen;
  private final FSDataOutputStream inner;
  private final Path path;
  private final long stream;
  private final Digest written = new Digest();
  private boolean closed;

  RecordedOutput(Seen seen, FSDataOutputStream inner, Path path, long stream) {
    this.seen = seen;
    this.inner = inner;
    this.path = path;
    this.stream = stream;
  }

  private Line line(String name, long from, long to) {
    return seen.line(name, from, to, path).number("stream", stream);
  }

  @Override
  public synchronized void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int count) throws IOException {
    long from = System.nanoTime();
    try {
      seen.within(() -> {
        inner.write(bytes, offset, count);
        return null;
      });
    } catch (IOException | RuntimeException | Error error) {
      seen.record(line("write", from, System.nanoTime()).number("length", Math.max(0, count)).error(error));
      throw error;
    }
    written.add(bytes, offset, count);
  }

  @Override
  public void flush() throws IOException {
    inner.flush();
  }

  private synchronized void sync(String name, Seen.Action<Void> action) throws IOException {
    long from = System.nanoTime();
    try {
      seen.within(action);
    } catch (IOException | RuntimeException | Error error) {
      Line line = line(name, from, System.nanoTime()).number("length", written.length);
      seen.record(line.error(error));
      throw error;
    }
    seen.record(line(name, from, System.nanoTime()).number("length", written.length));
  }

  @Override
  public void hflush() throws IOException {
    sync("hflush", () -> {
      inner.hflush();
      return null;
    });
  }

  @Override
  public void hsync() throws IOException {
    sync("hsync", () -> {
      inner.hsync();
      return null;
    });
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      inner.close();
      return;
    }
    closed = true;
    long from = System.nanoTime();
    try {
      seen.within(() -> {
        inner.close();
        return null;
      });
    } catch (IOException | RuntimeException | Error error) {
      seen.record(line("close", from, System.nanoTime()).error(error));
      throw error;
    }
    seen.record(written.addTo(line("close", from, System.nanoTime())));
  }

  @Override
  public synchronized AbortableResult abort() {
    long from = System.nanoTime();
    try {
      AbortableResult result = inner.abort();
      closed = true;
      seen.record(line("abort", from, System.nanoTime()));
      return result;
    } catch (IOException error) {
      throw new java.io.UncheckedIOException(error);
    }
  }

  @Override
  public boolean hasCapability(String capability) {
    return inner.hasCapability(capability);
  }

  @Override
  public void setDropBehind(Boolean dropBehind) throws IOException {
    inner.setDropBehind(dropBehind);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return inner.getIOStatistics();
  }

  @Override
  public String toString() {
    return inner.toString();
  }
}
