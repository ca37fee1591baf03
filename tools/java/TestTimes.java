package org.fsconform.contracts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileSystem;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Writes when each test ran, by the clock of the recorder, and how it ended: a line a test, its fields by tabs. */
public final class TestTimes implements TestExecutionListener {
  private final Map<String, Long> began = new ConcurrentHashMap<>();

  @Override
  public void executionStarted(TestIdentifier test) {
    began.put(test.getUniqueId(), System.nanoTime());
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.getSource().filter(ClassSource.class::isInstance).isPresent()) {
      closeAll();
    }
    boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
    if (test.isTest() || failed) {
      String said = result.getThrowable().map(String::valueOf).orElse("");
      write(test, began.get(test.getUniqueId()), result.getStatus().name().toLowerCase(java.util.Locale.ROOT), said);
    }
  }

  /** Hadoop's build gives each class of tests a JVM of its own: none meets a FileSystem that another configured. */
  private static void closeAll() {
    try {
      FileSystem.closeAll();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    write(test, System.nanoTime(), "skipped", reason);
  }

  private synchronized void write(TestIdentifier test, long begin, String status, String said) {
    Optional<TestSource> source = test.getSource();
    String name = test.getDisplayName();
    if (source.isPresent() && source.get() instanceof MethodSource) {
      MethodSource method = (MethodSource) source.get();
      name = method.getClassName() + "#" + method.getMethodName();
    } else if (source.isPresent() && source.get() instanceof ClassSource) {
      name = ((ClassSource) source.get()).getClassName();
    }
    String line = String.join("\t", "" + begin, "" + System.nanoTime(), status, plain(name), plain(said)) + "\n";
    try {
      Files.write(Paths.get(System.getProperty("fsconform.tests")), line.getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static String plain(String text) {
    String cut = text.length() > 500 ? text.substring(0, 500) : text;
    return cut.replaceAll("\\s+", " ");
  }
}
