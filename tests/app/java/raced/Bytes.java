package raced;

import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSInputStream;

/** Reads bytes. With a gap positioned reads of several threads have one place to read from. */
final class Bytes extends FSInputStream {
  private final byte[] data;
  private final long gap;
  private int position;
  private volatile long place;

  Bytes(byte[] data, long gap) {
    this.data = data;
    this.gap = gap;
  }

  @Override
  public synchronized void seek(long target) throws IOException {
    if (target < 0 || target > data.length) {
      throw new EOFException("no place to seek to: " + target);
    }
    position = (int) target;
  }

  @Override
  public synchronized long getPos() {
    return position;
  }

  @Override
  public boolean seekToNewSource(long target) {
    return false;
  }

  @Override
  public synchronized int read() {
    return position < data.length ? data[position++] & 0xff : -1;
  }

  @Override
  public synchronized int read(byte[] buffer, int offset, int length) {
    int size = copied(position, buffer, offset, length);
    position += Math.max(size, 0);
    return size;
  }

  @Override
  public int read(long from, byte[] buffer, int offset, int length) throws IOException {
    validatePositionedReadArgs(from, buffer, offset, length);
    if (gap == 0) {
      return copied(from, buffer, offset, length);
    }
    place = from;
    try {
      Thread.sleep(gap);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    return copied(place, buffer, offset, length);
  }

  private int copied(long from, byte[] buffer, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (from >= data.length) {
      return -1;
    }
    int size = (int) Math.min(length, data.length - from);
    System.arraycopy(data, (int) from, buffer, offset, size);
    return size;
  }
}
