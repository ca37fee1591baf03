package org.fsconform.recorder;

/** Which paths can be written as they are: of a sane length, and of no half characters. */
final class Names {
  private static final int MOST = 32_768;

  private Names() {}

  static boolean isPaired(String text, int place) {
    char letter = text.charAt(place);
    if (Character.isHighSurrogate(letter)) {
      return place + 1 < text.length() && Character.isLowSurrogate(text.charAt(place + 1));
    }
    return place > 0 && Character.isHighSurrogate(text.charAt(place - 1));
  }

  static boolean isPlain(String path) {
    if (path.length() > MOST) {
      return false;
    }
    for (int place = 0; place < path.length(); place++) {
      if (Character.isSurrogate(path.charAt(place)) && !isPaired(path, place)) {
        return false;
      }
    }
    return true;
  }

  /** The directory below which a path lies that can't be written. */
  static String plainPart(String path) {
    String part = path;
    while (!isPlain(part)) {
      part = part.substring(0, Math.max(0, part.lastIndexOf('/')));
    }
    return part.isEmpty() ? "/" : part;
  }
}
