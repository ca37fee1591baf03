package seeded;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;

/** FileOutputCommitter with one fault, chosen by the factory that makes it. */
public final class SeededCommitter extends FileOutputCommitter {
  private final Path destination;
  private final String fault;

  SeededCommitter(Path destination, TaskAttemptContext context, String fault) throws IOException {
    super(destination, context);
    this.destination = destination;
    this.fault = fault;
  }

  @Override
  public void commitTask(TaskAttemptContext context) throws IOException {
    Path work = getWorkPath();
    FileSystem files = work.getFileSystem(context.getConfiguration());
    if (fault.equals("twice")) {
      for (FileStatus one : files.listStatus(work)) {
        if (one.isFile()) {
          Path copy = new Path(work, "again-" + one.getPath().getName());
          FileUtil.copy(files, one.getPath(), files, copy, false, context.getConfiguration());
        }
      }
    } else if (fault.equals("forgets") && context.getTaskAttemptID().getTaskID().getId() == 1) {
      files.delete(work, true);
      return;
    }
    super.commitTask(context);
  }

  @Override
  public void commitJob(JobContext context) throws IOException {
    super.commitJob(context);
    if (fault.equals("uploads")) {
      FileSystem store = destination.getFileSystem(context.getConfiguration());
      Path lost = new Path(destination, "part-lost");
      try {
        store.createMultipartUploader(destination).build().startUpload(lost).get();
      } catch (Exception error) {
        throw new IOException(error);
      }
    }
  }

  private abstract static class Factory extends PathOutputCommitterFactory {
    abstract String fault();

    @Override
    public PathOutputCommitter createOutputCommitter(Path path, TaskAttemptContext context) throws IOException {
      return new SeededCommitter(path, context, fault());
    }
  }

  /** Makes committers that commit the files of each task twice. */
  public static final class Twice extends Factory {
    @Override
    String fault() {
      return "twice";
    }
  }

  /** Makes committers that forget the second task. */
  public static final class Forgets extends Factory {
    @Override
    String fault() {
      return "forgets";
    }
  }

  /** Makes committers that leave an upload pending. */
  public static final class Uploads extends Factory {
    @Override
    String fault() {
      return "uploads";
    }
  }

  /** Makes committers without a fault. */
  public static final class Sound extends Factory {
    @Override
    String fault() {
      return "";
    }
  }
}
