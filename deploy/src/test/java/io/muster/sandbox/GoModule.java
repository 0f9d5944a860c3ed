package io.muster.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A folder with a go.mod that says which versions of programs are built. Immutable.
 *
 * @param what as messages call it
 * @param effort what the first build takes, as messages say it
 * @param version of the program that gives the module its sense
 * @param linkerFlags that tell the programs their versions
 * @param tags of the build, which leave out what is not needed
 * @param key names what is built from this content, in the cache
 */
record GoModule(
    Path folder,
    String what,
    String effort,
    Version version,
    String linkerFlags,
    String tags,
    String key) {

  /** The programs of the control plane. */
  static GoModule controlPlane(Layout layout) {
    var folder = layout.controlPlane();
    var goMod = goMod(folder);
    var kubernetes = version(goMod, "k8s.io/kubernetes");
    var flags =
        Stream.concat(
            Stream.of("-s", "-w"),
            Stream.of("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
                .flatMap(target ->
                    Stream.of(
                        "-X %s.gitVersion=v%s".formatted(target, kubernetes),
                        "-X %s.gitMajor=%d".formatted(target, kubernetes.major()),
                        "-X %s.gitMinor=%d".formatted(target, kubernetes.minor()),
                        "-X %s.gitTreeState=clean".formatted(target))));
    return of(folder, goMod, "the control plane", "about 5 minutes", kubernetes, flags, "v");
  }

  /** Helm, which renders for the version of Kubernetes whose client it was built with. */
  static GoModule helm(Layout layout) {
    var folder = layout.sandbox().resolve("helm");
    var goMod = goMod(folder);
    var helm = version(goMod, "helm.sh/helm/v3");
    var client = version(goMod, "k8s.io/client-go");
    var flags =
        Stream.concat(
            Stream.of("-s", "-w", "-X helm.sh/helm/v3/internal/version.version=v" + helm),
            Stream.of("helm.sh/helm/v3/pkg/lint/rules", "helm.sh/helm/v3/pkg/chartutil")
                .flatMap(target ->
                    Stream.of(
                        "-X %s.k8sVersionMajor=1".formatted(target),
                        "-X %s.k8sVersionMinor=%d".formatted(target, client.minor()))));
    return of(folder, goMod, "helm", "about 3 minutes", helm, flags, "helm-v");
  }

  /** Prometheus' promtool, without what finds targets in clouds: that is most of it. */
  static GoModule promtool(Layout layout) {
    var folder = layout.sandbox().resolve("promtool");
    var goMod = goMod(folder);
    var module = "github.com/prometheus/prometheus";
    var prometheus = version(goMod, module);
    return of(
            folder,
            goMod,
            "promtool",
            "about 4 minutes",
            prometheus,
            Stream.of("-s", "-w"),
            "promtool-v")
        .tagged("remove_all_sd");
  }

  private GoModule tagged(String newTags) {
    return new GoModule(folder, what, effort, version, linkerFlags, newTags, key + "-" + newTags);
  }

  private static GoModule of(
      Path folder,
      String goMod,
      String what,
      String effort,
      Version version,
      Stream<String> flags,
      String prefix) {
    var linkerFlags = String.join(" ", flags.toList());
    return new GoModule(
        folder,
        what,
        effort,
        version,
        linkerFlags,
        "",
        prefix + version + "-" + hash(goMod, linkerFlags));
  }

  private static String goMod(Path folder) {
    try {
      return Files.readString(folder.resolve("go.mod"));
    } catch (IOException e) {
      throw new SandboxException(folder.resolve("go.mod") + " cannot be read.", e);
    }
  }

  private static Version version(String goMod, String module) {
    var required =
        Pattern.compile(
                "^\\s*(?:require )?" + Pattern.quote(module) + " (v\\S+)", Pattern.MULTILINE)
            .matcher(goMod);
    if (!required.find()) {
      throw new SandboxException("go.mod names no version of " + module + ".");
    }
    return Version.firstIn(required.group(1)).orElseThrow();
  }

  private static String hash(String goMod, String linkerFlags) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      for (var text : List.of(goMod, linkerFlags)) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
