package org.fsconform.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import scala.collection.immutable.Seq;

/** Spark's commit protocol for committers out of a factory, with faults at its phases. */
public final class GatedPathProtocol extends org.apache.spark.internal.io.cloud.PathOutputCommitProtocol {
  private static final long serialVersionUID = 1L;

  public GatedPathProtocol(String job, String path, boolean dynamic) {
    super(job, path, dynamic);
  }

  @Override
  public void setupJob(JobContext context) {
    at("job-setup", context);
    super.setupJob(context);
  }

  @Override
  public void setupTask(TaskAttemptContext context) {
    at("task-setup", context);
    super.setupTask(context);
    Faults.begins();
  }

  @Override
  public TaskCommitMessage commitTask(TaskAttemptContext context) {
    at("task-commit", context);
    TaskCommitMessage message = super.commitTask(context);
    at("task-committed", context);
    Faults.ends();
    return message;
  }

  @Override
  public void abortTask(TaskAttemptContext context) {
    try {
      super.abortTask(context);
    } finally {
      Faults.ends();
    }
  }

  @Override
  public void commitJob(JobContext context, Seq<TaskCommitMessage> commits) {
    at("job-commit", context);
    super.commitJob(context, commits);
    at("job-committed", context);
  }

  private static void at(String phase, JobContext context) {
    try {
      Faults.at(phase, context.getConfiguration());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
