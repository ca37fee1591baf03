package org.fsconform.spark;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;

/**
 * Faults of a job on purpose: an error, the end of the process, or a pause, at a phase of the commit protocol.
 *
 * <p>A fault is a text "action,phase,task,attempts": the action is fail, halt or sleep:MILLISECONDS; the task is a
 * number or * for any; attempts is first or all. It stands in the job's configuration, or is armed for this process.
 */
public final class Faults {
  public static final String PROPERTY = "fsconform.fault";
  public static final String MESSAGE = "a fault on purpose at ";

  private static volatile String armed = "";
  private static final ConcurrentHashMap<Long, Integer> WRITTEN = new ConcurrentHashMap<>();
  private static final Set<Long> AT_WORK = ConcurrentHashMap.newKeySet();
  private static final Set<Long> ABOUT_TO_FAIL = ConcurrentHashMap.newKeySet();
  private static final ConcurrentHashMap<Integer, Set<Integer>> BEGUN = new ConcurrentHashMap<>();
  private static final int PATIENCE_POLLS = 500;
  private static final long POLL_MILLISECONDS = 10;

  private Faults() {}

  /** Set the fault of this process; an empty text disarms it. */
  public static void arm(String fault) {
    armed = fault;
  }

  /** A row of a task, given back; the fault of phase task-write is met at the second row. */
  public static String row(String fault, Long id) throws IOException {
    long attempt = TaskContext.get().taskAttemptId();
    if (WRITTEN.merge(attempt, 1, Integer::sum) == 2) {
      at("task-write", fault);
    }
    return Long.toString(id);
  }

  /** An attempt of a task begins its work in this process. */
  public static void begins() {
    TaskContext task = TaskContext.get();
    AT_WORK.add(task.taskAttemptId());
    begunIn(task).add(task.partitionId());
  }

  /** An attempt of a task has been committed or aborted. */
  public static void ends() {
    AT_WORK.remove(TaskContext.get().taskAttemptId());
  }

  /**
   * Wait until no other attempt is at work in this process but such as are about to fail as well, nor is still to begin.
   * Spark does not wait for what runs when it aborts a job: without this it would be chance what a failed job leaves.
   */
  private static void failLast() {
    TaskContext task = TaskContext.get();
    ABOUT_TO_FAIL.add(task.taskAttemptId());
    begunIn(task).add(task.partitionId());
    try {
      for (int poll = 0; poll < PATIENCE_POLLS && !isLast(task); poll++) {
        Thread.sleep(POLL_MILLISECONDS);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** While one attempt alone is at work another may begin; where two are about to fail there is no core for a third. */
  private static boolean isLast(TaskContext task) {
    return ABOUT_TO_FAIL.containsAll(AT_WORK)
        && (AT_WORK.size() > 1 || begunIn(task).size() >= task.numPartitions());
  }

  private static Set<Integer> begunIn(TaskContext task) {
    return BEGUN.computeIfAbsent(task.stageId(), stage -> ConcurrentHashMap.newKeySet());
  }

  /** The place where a job or a task is in a phase. */
  public static void at(String phase, Configuration configuration) throws IOException {
    at(phase, configuration.get(PROPERTY, ""));
  }

  private static void at(String phase, String given) throws IOException {
    String fault = given.isEmpty() ? armed : given;
    String[] parts = fault.split(",");
    if (parts.length != 4 || !parts[1].equals(phase)) {
      return;
    }
    TaskContext task = TaskContext.get();
    if (task != null) {
      boolean mine = parts[2].equals("*") || Integer.parseInt(parts[2]) == task.partitionId();
      if (!mine || (parts[3].equals("first") && task.attemptNumber() > 0)) {
        return;
      }
    }
    act(parts[0], phase);
  }

  static void act(String action, String where) throws IOException {
    if (action.equals("halt")) {
      Runtime.getRuntime().halt(137);
    } else if (action.equals("hold")) {
      Gate.pause();
    } else if (action.startsWith("sleep:")) {
      try {
        Thread.sleep(Long.parseLong(action.substring(6)));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    } else {
      if (TaskContext.get() != null) {
        failLast();
      }
      throw new IOException(MESSAGE + where);
    }
  }
}
