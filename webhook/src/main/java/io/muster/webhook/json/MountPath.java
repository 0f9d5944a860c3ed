package io.muster.webhook.json;

import java.util.ArrayDeque;
import java.util.regex.Pattern;

/** Paths of mounts as the kubelet and the runtimes take them. Stateless. */
final class MountPath {

  private static final Pattern SLASH = Pattern.compile("/");

  private MountPath() {}

  /** The one spelling of the path: {@code /dev/shm} for {@code //dev/./shm/}. */
  static String normalised(String path) {
    var parts = new ArrayDeque<String>();
    SLASH
        .splitAsStream(path)
        .forEach(part -> {
          if (part.equals("..")) {
            parts.pollLast();
          } else if (!part.isEmpty() && !part.equals(".")) {
            parts.addLast(part);
          }
        });
    return "/" + String.join("/", parts);
  }
}
