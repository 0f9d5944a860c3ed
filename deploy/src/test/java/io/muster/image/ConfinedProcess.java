package io.muster.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A process of an image as a kubelet would start it with a strict security context: the image's
 * root, read-only, its user, no capabilities, no new privileges, a /tmp of its own, nothing of the
 * surroundings' environment. util-linux makes it, as root or in a user namespace. The process that
 * is started becomes the program: signals reach it, and it has the pid that is known. It sees the
 * processes of the machine. Immutable.
 *
 * @param image whose process it is; mount points are made in its folder
 * @param network what it can reach
 * @param mounts what it sees of the machine, read-only: paths outside by paths inside, absolute
 * @param environment variables beside the image's own
 */
public record ConfinedProcess(
    RootFilesystem image,
    Network network,
    Map<Path, Path> mounts,
    Map<String, String> environment) {

  /** What a process can reach. */
  public enum Network {
    /** The same as the process that starts it, as with {@code hostNetwork}. */
    HOST,
    /** Nothing; even loopback is down. */
    NONE
  }

  /**
   * Mounts, then becomes the program. $1 is the root; then come pairs of what is mounted where,
   * until --, and then the variables and the program.
   */
  private static final String ENTER =
      """
      set -eu
      root=$1
      shift
      show() {
        if [ -d "$1" ]; then
          mkdir -p "$root$2"
        else
          mkdir -p "$root${2%/*}"
          [ -e "$root$2" ] || : > "$root$2"
        fi
        mount --bind "$1" "$root$2"
      }
      mount --bind "$root" "$root"
      mkdir -p "$root/proc" "$root/tmp"
      mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/tmp"
      mount --rbind /proc "$root/proc"
      for path in /dev/null /dev/zero /dev/random /dev/urandom /etc/hosts /etc/resolv.conf; do
        [ ! -e "$path" ] || show "$path" "$path"
      done
      while [ "$1" != -- ]; do
        show "$1" "$2"
        mount -o remount,bind,ro "$root$2"
        shift 2
      done
      shift
      mount -o remount,bind,ro "$root"
      exec env -i "$@"
      """;

  public ConfinedProcess {
    mounts = new TreeMap<>(mounts);
    environment = Map.copyOf(environment);
  }

  /** The image's process as it is, with all that its surroundings can reach. */
  public static ConfinedProcess of(RootFilesystem image) {
    return new ConfinedProcess(image, Network.HOST, Map.of(), Map.of());
  }

  public ConfinedProcess in(Network other) {
    return new ConfinedProcess(image, other, mounts, environment);
  }

  /**
   * What comes before a command that shall have a network of its own with loopback alone, and may
   * start processes of images there.
   */
  public static List<String> alone() {
    var line = new ArrayList<String>();
    line.addAll(List.of(tool("unshare"), "--net"));
    if (!mayBecomeAnyone()) {
      line.addAll(List.of("--user", "--map-root-user"));
    }
    line.addAll(List.of("/bin/sh", "-c", tool("ip") + " link set lo up && exec \"$@\"", "alone"));
    return line;
  }

  /** One more that it sees, where it is outside too. */
  public ConfinedProcess seeing(Path path) {
    return seeing(path, path);
  }

  /** One more that it sees. */
  public ConfinedProcess seeing(Path outside, Path inside) {
    var more = new TreeMap<>(mounts);
    more.put(inside, outside);
    return new ConfinedProcess(image, network, more, environment);
  }

  /** What starts the image's entry point with these arguments. */
  public List<String> command(List<String> arguments) {
    return commandOf(Stream.of(image.entryPoint(), arguments).flatMap(List::stream).toList());
  }

  /**
   * What starts another program of the image.
   *
   * @param program absolute path inside, and its arguments
   * @throws ImageException if the machine lacks a tool
   */
  public List<String> commandOf(List<String> program) {
    var line = new ArrayList<String>();
    line.addAll(List.of(tool("unshare"), "--mount"));
    if (!mayBecomeAnyone()) {
      line.addAll(List.of("--user", "--map-root-user"));
    }
    if (network == Network.NONE) {
      line.add("--net");
    }
    line.addAll(List.of("/bin/sh", "-c", ENTER, "confined", image.folder().toString()));
    mounts.forEach((inside, outside) -> {
      line.add(outside.toString());
      line.add(inside.toString());
    });
    line.add("--");
    var variables = new TreeMap<>(image.environment());
    variables.putAll(environment);
    variables.forEach((name, value) -> line.add(name + "=" + value));
    line.addAll(asItsUser());
    line.addAll(program);
    return line;
  }

  private List<String> asItsUser() {
    var ids = image.user().split(":", 2);
    if (mayBecomeAnyone()) {
      return List.of(
          tool("setpriv"),
          "--no-new-privs",
          tool("chroot"),
          "--userspec=" + image.user(),
          "--groups=",
          image.folder().toString());
    }
    return List.of(
        tool("setpriv"),
        "--no-new-privs",
        tool("unshare"),
        "--user",
        "--map-user=" + ids[0],
        "--map-group=" + ids[1],
        "--root=" + image.folder());
  }

  /** Root of the machine; root of a user namespace has no other users to become. */
  private static boolean mayBecomeAnyone() {
    try {
      var mapped = Files.readString(Path.of("/proc/self/uid_map")).strip();
      return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0
          && mapped.matches("0\\s+0\\s+4294967295");
    } catch (IOException e) {
      throw new ImageException("/proc is needed to see as whom this runs.", e);
    }
  }

  private static String tool(String name) {
    return Stream.of("/usr/bin", "/usr/sbin", "/bin", "/sbin")
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Path::toString)
        .orElseThrow(() ->
            new ImageException(
                "The program "
                    + name
                    + " is needed to start an image: install util-linux,"
                    + " coreutils and iproute2."));
  }
}
