import java.io.FileNotFoundException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IOUtils;

/** Some calls on a recorded FileSystem; arguments: the configuration file, and the URI of a directory to work in. */
public final class Calls {
  public static void main(String[] arguments) throws Exception {
    Configuration configuration = new Configuration();
    configuration.addResource(new Path("file://" + arguments[0]));
    Path base = new Path(arguments[1]);
    FileSystem files = FileSystem.get(base.toUri(), configuration);
    System.out.println(files.getClass().getSuperclass().getName());
    files.mkdirs(new Path(base, "a/b"));
    try (FSDataOutputStream out = files.create(new Path(base, "a/b/one"))) {
      out.write("hello ".getBytes(StandardCharsets.UTF_8));
      out.hflush();
      out.write("world".getBytes(StandardCharsets.UTF_8));
    }
    try (FSDataInputStream in = files.open(new Path(base, "a/b/one"))) {
      IOUtils.copyBytes(in, new java.io.ByteArrayOutputStream(), 4096);
    }
    try (FSDataInputStream in = files.openFile(new Path(base, "a/b/one")).build().get()) {
      in.read();
    }
    files.getFileStatus(new Path(base, "a/b/one"));
    files.listStatus(new Path(base, "a/b"));
    files.exists(new Path(base, "a"));
    try {
      files.getFileStatus(new Path(base, "gone"));
      throw new IllegalStateException("found");
    } catch (FileNotFoundException expected) {
      System.out.println("missing");
    }
    CountDownLatch both = new CountDownLatch(2);
    Thread[] threads = new Thread[2];
    for (int number = 0; number < threads.length; number++) {
      String name = "t" + number;
      threads[number] = new Thread(() -> {
        both.countDown();
        try {
          both.await();
          for (int time = 0; time < 50; time++) {
            files.create(new Path(base, "a/" + name), true).close();
            files.delete(new Path(base, "a/" + name), false);
          }
        } catch (Exception error) {
          throw new IllegalStateException(error);
        }
      });
      threads[number].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    files.rename(new Path(base, "a/b/one"), new Path(base, "a/\u00e9\ud83d\ude00"));
    files.delete(new Path(base, "a"), true);
  }
}
