package io.muster.played;

import io.muster.image.RootFilesystem;
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
 * What stands in for a container image: programs of this machine, or the image's own files.
 * Immutable.
 *
 * @param root a folder with all files of the image; empty where the machine's own programs and
 *     libraries stand in for them
 * @param environment variables that the image sets
 * @param mounts files and folders of this machine by their path in the container, read-only
 * @param entryPoint the program, for containers that name none
 * @param binding the start of the argument that names the address to listen on, for programs that
 *     take it from no variable; empty for the others
 */
record PlayedImage(
    Optional<Path> root,
    Map<String, String> environment,
    Map<String, Path> mounts,
    List<String> entryPoint,
    Optional<String> binding) {

  private static final String JAVA = "/opt/java";
  private static final String MUSTER = "/opt/muster/";
  private static final String PROGRAMS = "/opt/programs/";

  private static final String PATH =
      PROGRAMS + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** An image as it was built. */
  static PlayedImage of(RootFilesystem image) {
    return new PlayedImage(
        Optional.of(image.folder()),
        image.environment(),
        Map.of(),
        image.entryPoint(),
        Optional.empty());
  }

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
        Optional.empty(),
        Map.of("PATH", PATH),
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
        Optional.empty(),
        Map.of("PATH", PATH),
        Map.of(PROGRAMS + "kube-scheduler", sandbox.programs().path(Program.SCHEDULER)),
        List.of(PROGRAMS + "kube-scheduler"),
        Optional.of("--bind-address="));
  }
}
