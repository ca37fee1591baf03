package org.fsconform.recorder;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;

/** A line of a recording as it grows: one JSON object, in ASCII. Texts are cut, as those of errors may be of any size. */
final class Line {
  private static final int MOST_TEXT = 1000;
  private static final int MOST_CLASSES = 32;
  private static final int MOST_LISTED = 10_000;
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final StringBuilder json = new StringBuilder(256);

  Line(String kind) {
    json.append("{\"kind\":\"").append(kind).append('"');
  }

  Line number(String name, long value) {
    json.append(",\"").append(name).append("\":").append(value);
    return this;
  }

  Line flag(String name, boolean value) {
    json.append(",\"").append(name).append("\":").append(value);
    return this;
  }

  Line text(String name, String value) {
    json.append(",\"").append(name).append("\":");
    quote(value.length() > MOST_TEXT ? value.substring(0, MOST_TEXT) : value);
    return this;
  }

  /** A path, whole. */
  Line path(String name, String value) {
    json.append(",\"").append(name).append("\":");
    quote(value);
    return this;
  }

  Line paths(String name, List<String> values) {
    json.append(",\"").append(name).append("\":[");
    for (int place = 0; place < values.size(); place++) {
      if (place > 0) {
        json.append(',');
      }
      quote(values.get(place));
    }
    json.append(']');
    return this;
  }

  Line status(FileStatus status, String path) {
    json.append(",\"status\":");
    entry(status, path);
    return this;
  }

  Line listed(FileStatus[] found) {
    if (found.length > MOST_LISTED) {
      return number("many", found.length);
    }
    json.append(",\"listed\":[");
    for (int place = 0; place < found.length; place++) {
      if (place > 0) {
        json.append(',');
      }
      entry(found[place], found[place].getPath().toUri().getPath());
    }
    json.append(']');
    return this;
  }

  private void entry(FileStatus status, String path) {
    if (status.isSymlink() || !Names.isPlain(path)) {
      json.append("{\"odd\":true}");
      return;
    }
    json.append("{\"path\":");
    quote(path);
    json.append(",\"dir\":").append(status.isDirectory()).append(",\"length\":").append(status.getLen());
    json.append(",\"block\":").append(status.getBlockSize()).append('}');
  }

  /** An error: its classes, itself first, and what it says. */
  Line error(Throwable error) {
    json.append(",\"error\":[");
    int number = 0;
    for (Class<?> kind = error.getClass(); kind != Object.class && number < MOST_CLASSES; kind = kind.getSuperclass()) {
      if (number++ > 0) {
        json.append(',');
      }
      quote(kind.getName());
    }
    json.append(']');
    String said;
    try {
      said = String.valueOf(error.getMessage());
    } catch (RuntimeException other) {
      said = "";
    }
    return text("message", said);
  }

  private void quote(String value) {
    json.append('"');
    for (int place = 0; place < value.length(); place++) {
      char letter = value.charAt(place);
      if (letter == '"' || letter == '\\') {
        json.append('\\').append(letter);
      } else if (letter >= ' ' && letter < 0x7f) {
        json.append(letter);
      } else if (Character.isSurrogate(letter) && !Names.isPaired(value, place)) {
        json.append("\\ufffd");
      } else {
        json.append("\\u").append(HEX[letter >> 12]).append(HEX[letter >> 8 & 15]).append(HEX[letter >> 4 & 15]);
        json.append(HEX[letter & 15]);
      }
    }
    json.append('"');
  }

  byte[] bytes() {
    return toString().getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return json + "}\n";
  }
}
