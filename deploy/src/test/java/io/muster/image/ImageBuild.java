package io.muster.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/**
 * The command behind {@code deploy/image/build}, which prepares what it reads. Arguments: the
 * folder that becomes {@code /opt} (with {@code jre} and {@code muster} in it), the folder with the
 * packages, the lock, the bill of the program, the folder to write to, the time in seconds since
 * 1970, the commit. Prints the digest. Exit codes: 0 the image is there, 1 it is not.
 */
final class ImageBuild {

  private static final String JAVA = "opt/jre";
  private static final String PROGRAM = "opt/muster";
  private static final String AOT_CACHE = "muster.aot";
  private static final Map<String, String> ARCHITECTURES =
      Map.of("amd64", "amd64", "aarch64", "arm64");

  private ImageBuild() {}

  public static void main(String[] arguments) throws IOException {
    try {
      System.out.println(
          build(
              Path.of(arguments[0]),
              Path.of(arguments[1]),
              Path.of(arguments[2]),
              Path.of(arguments[3]),
              Path.of(arguments[4]),
              Instant.ofEpochSecond(Long.parseLong(arguments[5])),
              arguments[6]));
    } catch (ImageException e) {
      System.err.println("build: " + e.getMessage());
      System.exit(1);
    }
  }

  private static String build(
      Path opt, Path packages, Path lockFile, Path bill, Path to, Instant time, String commit)
      throws IOException {
    var lock = PackageLock.read(lockFile, architecture());
    var program = opt.resolve("muster");
    boolean hasCache = Files.exists(program.resolve(AOT_CACHE));
    var layers = new ArrayList<Layer>();
    layers.add(ThinRoot.of(lock, packages));
    layers.add(new Layer("Java runtime").copy(opt.resolve("jre"), JAVA));
    layers.add(new Layer("libraries").copy(program.resolve("lib"), PROGRAM + "/lib"));
    layers.add(
        new Layer("program")
            .copy(program.resolve("jvm.options"), PROGRAM + "/jvm.options")
            .copy(program.resolve("muster.jar"), PROGRAM + "/muster.jar"));
    if (hasCache) {
      layers.add(
          new Layer("what the JVM learned in a rehearsal")
              .copy(program.resolve(AOT_CACHE), PROGRAM + "/" + AOT_CACHE));
    }
    var version = version(program.resolve("muster.jar"));
    var config =
        new ImageConfig(
            version,
            architecture(),
            time,
            ThinRoot.USER + ":" + ThinRoot.USER,
            // Where whoever runs the image may change them: on the command line they would win.
            Map.of(
                "PATH", "/" + JAVA + "/bin", "JDK_JAVA_OPTIONS", "@/" + PROGRAM + "/jvm.options"),
            entryPoint(hasCache),
            "/",
            labels(version, commit, time));
    var digest = new OciLayout(to.resolve("oci")).write(config, layers);
    Files.writeString(to.resolve("digest"), digest + "\n");
    ImageBill.write(
        to.resolve("muster-image.cdx.json"),
        bill,
        jar -> Files.exists(program.resolve("lib").resolve(jar)),
        lock,
        javaVersion(opt.resolve("jre/release")));
    return digest;
  }

  private static List<String> entryPoint(boolean hasCache) {
    var line = new ArrayList<String>();
    line.add("/" + JAVA + "/bin/java");
    if (hasCache) {
      line.add("-XX:AOTCache=/" + PROGRAM + "/" + AOT_CACHE);
    }
    line.addAll(List.of("-jar", "/" + PROGRAM + "/muster.jar"));
    return line;
  }

  private static Map<String, String> labels(String version, String commit, Instant time) {
    var prefix = "org.opencontainers.image.";
    return Map.of(
        prefix + "title",
        "muster",
        prefix + "description",
        "Gang scheduling beside an unchanged kube-scheduler",
        prefix + "licenses",
        "Apache-2.0",
        prefix + "version",
        version,
        prefix + "revision",
        commit,
        prefix + "created",
        time.toString());
  }

  private static String architecture() {
    var machine = System.getProperty("os.arch");
    if (!ARCHITECTURES.containsKey(machine)) {
      throw new ImageException(
          "Images are made on amd64 and arm64; this machine is " + machine + ".");
    }
    return ARCHITECTURES.get(machine);
  }

  private static String version(Path jar) throws IOException {
    try (var file = new JarFile(jar.toFile())) {
      return file.getManifest()
          .getMainAttributes()
          .getValue(Attributes.Name.IMPLEMENTATION_VERSION);
    }
  }

  private static String javaVersion(Path release) throws IOException {
    var properties = new Properties();
    try (var text = Files.newBufferedReader(release)) {
      properties.load(text);
    }
    return properties.getProperty("JAVA_VERSION").replace("\"", "");
  }
}
