package io.muster.controller.kinds.di.server.call;

import io.muster.controller.kinds.di.api.DIJob;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/**
 * Names a job in a path: {@code namespace.name}, where the first dot divides, since namespaces have
 * none; {@code namespace/name}; and either with a generation behind a dot.
 */
public final class JobId {

  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
  private static final Pattern WITH_GENERATION = Pattern.compile("(.+)\\.([0-9]{1,9})");

  /** Jobs no longer have another. */
  private static final int GENERATION = 0;

  private JobId() {}

  /** Whether an object may be called so. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  public static boolean isNamespace(String text) {
    return NAMESPACE.matcher(text).matches();
  }

  /** Refuses what no namespace may be called. */
  public static void requireNamespace(String text) {
    if (!isNamespace(text)) {
      throw RefusedException.malformed("namespace must be the name of a namespace");
    }
  }

  /**
   * The job that is meant.
   *
   * @param written as in the path
   * @param jobs finds a job by namespace and name
   */
  public static DIJob find(String written, BiFunction<String, String, Optional<DIJob>> jobs) {
    var id = decoded(written);
    int divider = id.indexOf('/') >= 0 ? id.indexOf('/') : id.indexOf('.');
    var namespace = divider < 0 ? "" : id.substring(0, divider);
    var name = id.substring(divider + 1);
    if (!isNamespace(namespace) || !isName(name)) {
      throw RefusedException.malformed(
          "the id of a job must be namespace.name, such as default.my-job");
    }
    return jobs.apply(namespace, name)
        .or(() -> ofGeneration(namespace, name, jobs))
        .orElseThrow(
            () -> RefusedException.notFound("there is no DIJob %s/%s".formatted(namespace, name)));
  }

  private static Optional<DIJob> ofGeneration(
      String namespace, String name, BiFunction<String, String, Optional<DIJob>> jobs) {
    var parts = WITH_GENERATION.matcher(name);
    if (!parts.matches()) {
      return Optional.empty();
    }
    var job = jobs.apply(namespace, parts.group(1));
    if (job.isPresent() && Integer.parseInt(parts.group(2)) != GENERATION) {
      throw RefusedException.malformed(
          "DIJob %s/%s has generation %d, not %s; leave it out of the id"
              .formatted(namespace, parts.group(1), GENERATION, parts.group(2)));
    }
    return job;
  }

  private static String decoded(String written) {
    try {
      return URLDecoder.decode(written.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return "";
    }
  }
}
