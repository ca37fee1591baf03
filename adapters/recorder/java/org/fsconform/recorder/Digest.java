package org.fsconform.recorder;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Bytes as they come, by length and SHA-256. */
final class Digest {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final MessageDigest sha;
  private final byte[] single = new byte[1];
  long length;

  Digest() {
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  void add(int value) {
    single[0] = (byte) value;
    add(single, 0, 1);
  }

  void add(byte[] bytes, int offset, int count) {
    sha.update(bytes, offset, count);
    length += count;
  }

  void add(ByteBuffer bytes) {
    length += bytes.remaining();
    sha.update(bytes);
  }

  /** The line with both; the next bytes begin anew. */
  Line addTo(Line line) {
    StringBuilder text = new StringBuilder(64);
    for (byte value : sha.digest()) {
      text.append(HEX[value >> 4 & 15]).append(HEX[value & 15]);
    }
    line.number("length", length).text("sha256", text.toString());
    length = 0;
    return line;
  }
}
