package io.muster.played;

import io.muster.sandbox.Layout;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What stands in for a container image: programs of this machine. Immutable.
 *
 * @param mounts files and folders of this machine by their path in the container, read-only
 * @param entryPoint the program, for containers that name none
 * @param binding the start of the argument that names the address to listen on, for programs that
 *     take it from no variable; empty for the others
 */
record PlayedImage(Map<String, Path> mounts, List<String> entryPoint, Optional<String> binding) {

  private static final String JAVA = "/opt/java";
  private static final String MUSTER = "/opt/muster/";
  private static final String PROGRAMS = "/opt/programs/";

  /** Where programs are found by their name. */
  static final String PATH =
      PROGRAMS + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** Muster as it was packaged, with the JDK of this JVM. */
  static PlayedImage muster(Layout layout) {
    var command = new ArrayList<String>();
    command.add(JAVA + "/bin/java");
    // Tests end before the second compiler has paid.
    Stream.of(System.getProperty("muster.sandbox.jvm", "").split(" "))
        .filter(option -> !option.isEmpty())
        .forEach(command::add);
    command.addAll(List.of("-jar", MUSTER + "target/" + layout.musterJar().getFileName()));
    return new PlayedImage(
        Map.of(
            JAVA,
            Path.of(System.getProperty("java.home")),
            MUSTER + "jvm.options",
            layout.jvmOptions(),
            MUSTER + "target",
            layout.musterJar().getParent()),
        command,
        Optional.empty());
  }

  /** The sandbox's own kube-scheduler. */
  static PlayedImage scheduler(Sandbox sandbox) {
    return new PlayedImage(
        Map.of(PROGRAMS + "kube-scheduler", sandbox.programs().path(Program.SCHEDULER)),
        List.of(PROGRAMS + "kube-scheduler"),
        Optional.of("--bind-address="));
  }
}
