package org.fsconform.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import scala.collection.immutable.Seq;

/** The commit protocol of Spark's streaming file sink, with faults at its phases. */
public final class GatedSinkProtocol extends org.apache.spark.sql.execution.streaming.ManifestFileCommitProtocol {
  private static final long serialVersionUID = 1L;

  public GatedSinkProtocol(String job, String path) {
    super(job, path);
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
