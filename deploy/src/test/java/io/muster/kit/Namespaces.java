package io.muster.kit;

import io.muster.sandbox.Command;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The kinds of namespaces that a launcher gets, as unshare and nsenter name them. With a user
 * namespace no root is needed; without one it must be root. Immutable.
 */
public record Namespaces(List<String> make, List<String> enter) {

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final List<String> OWN = List.of("--mount", "--pid", "--uts");

  static final Namespaces WITH_USER =
      new Namespaces(
          List.of("--user", "--map-root-user"), List.of("--user", "--preserve-credentials"));
  public static final Namespaces AS_ROOT = new Namespaces(List.of(), List.of());

  public Namespaces {
    make = Stream.concat(make.stream(), OWN.stream()).toList();
    enter = Stream.concat(enter.stream(), OWN.stream()).toList();
  }

  /**
   * What this machine allows.
   *
   * @throws SandboxException with what would help, if it allows neither kind
   */
  public static Namespaces allowed() {
    var refusal = WITH_USER.refusal();
    if (refusal.isEmpty()) {
      return WITH_USER;
    }
    if (AS_ROOT.refusal().isEmpty()) {
      return AS_ROOT;
    }
    throw new SandboxException(
        "Launchers run in namespaces of their own, and this machine refuses them ("
            + refusal
            + "). Allow user namespaces (sysctl user.max_user_namespaces above 0,"
            + " kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0"
            + " where they exist), run the tests as root on a machine of its own rather than in a"
            + " container, and install util-linux if unshare or nsenter is missing.");
  }

  /** Without a user namespace, where this is root: only so can a program become another user. */
  public static Namespaces asRootElseAllowed() {
    return AS_ROOT.refusal().isEmpty() ? AS_ROOT : allowed();
  }

  /** What makes and becomes a program in namespaces of its own, which end with it. */
  public List<String> unshare() {
    return Stream.of(List.of("unshare"), make, List.of("--fork", "--kill-child"))
        .flatMap(List::stream)
        .toList();
  }

  /** Why the machine does not allow this; empty if it does. Mounts what a launcher needs. */
  private String refusal() {
    var command =
        Stream.concat(
                unshare().stream(), Stream.of("sh", "-c", "mount -t proc proc /proc && nsenter -V"))
            .toList();
    try {
      var result = Command.run(LIMIT, command);
      return result.exitCode() == 0 ? "" : result.output().strip();
    } catch (SandboxException e) {
      return e.getMessage();
    }
  }
}
