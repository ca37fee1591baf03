import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Seconds of the same calls on a plain and a recorded FileSystem, by turns; arguments: settings, URI, calls, bytes. */
public final class Rounds {
  public static void main(String[] arguments) throws Exception {
    Path base = new Path(arguments[1]);
    int calls = Integer.parseInt(arguments[2]);
    byte[] content = new byte[Integer.parseInt(arguments[3])];
    Configuration plain = new Configuration();
    plain.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    Configuration settings = new Configuration();
    settings.addResource(new Path("file://" + arguments[0]));
    FileSystem[] both = {FileSystem.newInstance(base.toUri(), plain), FileSystem.newInstance(base.toUri(), settings)};
    for (int turn = 0; turn < 12; turn++) {
      FileSystem files = both[turn % 2];
      long begin = System.nanoTime();
      round(files, new Path(base, "t" + turn), calls / 6, content);
      if (turn > 1) {
        System.out.println(turn % 2 + " " + (System.nanoTime() - begin) / 1e9);
      }
    }
  }

  private static void round(FileSystem files, Path base, int times, byte[] content) throws Exception {
    byte[] read = new byte[content.length];
    files.mkdirs(base);
    for (int time = 0; time < times; time++) {
      Path path = new Path(base, "f");
      Path other = new Path(base, "g");
      try (FSDataOutputStream out = files.create(path, true)) {
        out.write(content);
      }
      files.getFileStatus(path);
      files.listStatus(base);
      try (FSDataInputStream in = files.open(path)) {
        in.readFully(read);
        in.read();
      }
      files.rename(path, other);
      files.delete(other, false);
    }
    if (!Arrays.equals(content, read)) {
      throw new IllegalStateException("read something else");
    }
  }
}
