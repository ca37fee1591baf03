package org.fsconform.spark;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Counts the calls by which output comes to stand where readers see it, and stops, fails or ends the job at one.
 *
 * <p>One for each process. A call publishes if no part of its destination below the watched directory begins with an
 * underline or a dot, as readers leave such names out.
 */
public final class Gate {
  private static final long PATIENCE_SECONDS = 60;

  private static String under = "";
  private static String action = "";
  private static int nth;
  private static boolean opened;
  private static volatile boolean waiting;
  private static int published;
  private static int copies;
  private static int completed;

  private Gate() {}

  /** Watch a directory; the action (fail, halt, hold, or none where it is empty) is met at the nth publishing call. */
  public static synchronized void arm(String directory, String what, int number) {
    under = directory;
    action = what;
    nth = number;
    opened = false;
    waiting = false;
    published = 0;
    copies = 0;
    completed = 0;
  }

  /** Let the job that is held go on, and hold it no more. */
  public static synchronized void open() {
    opened = true;
    Gate.class.notifyAll();
  }

  /** Whether a job is held. */
  public static boolean isWaiting() {
    return waiting;
  }

  /** Publishing calls, objects that were copied, and uploads that were completed below the watched directory. */
  public static synchronized String counts() {
    return published + "," + copies + "," + completed;
  }

  /** A call that puts something at a path, before it is made. */
  public static void before(String kind, String path) throws IOException {
    String after;
    synchronized (Gate.class) {
      int at = under.isEmpty() ? -1 : path.indexOf(under);
      if (at < 0) {
        return;
      }
      if (kind.equals("copy")) {
        copies++;
      } else if (kind.equals("complete")) {
        completed++;
      }
      if (hidden(path.substring(at + under.length()))) {
        return;
      }
      published++;
      boolean beyond = action.equals("fail") && published > nth;
      if (!beyond && published != nth) {
        return;
      }
      after = action;
      if (action.equals("hold")) {
        hold();
        return;
      }
    }
    if (!after.isEmpty()) {
      Faults.act(after, "publishing call " + nth);
    }
  }

  /** Hold the job that calls until the gate is opened. */
  public static synchronized void pause() {
    if (!opened) {
      hold();
    }
  }

  private static void hold() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    waiting = true;
    try {
      while (!opened && System.nanoTime() < end) {
        Gate.class.wait(100);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    waiting = false;
  }

  private static boolean hidden(String relative) {
    for (String part : relative.split("/")) {
      if (part.startsWith("_") || part.startsWith(".")) {
        return true;
      }
    }
    return relative.isEmpty();
  }
}
