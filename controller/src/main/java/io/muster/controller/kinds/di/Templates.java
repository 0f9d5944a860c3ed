package io.muster.controller.kinds.di;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kube.Remark;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** Notices that the templates by which the workers of a live job are made are others by now. */
final class Templates {

  private static final int BYTES = 8;

  private Templates() {}

  /** The templates as they are, each as a digest, by the role that they are for. */
  static Map<String, String> digests(DIJob job) {
    var digests = new TreeMap<String, String>();
    put(digests, CoordinatorNames.COLLECTOR, job.getSpec().collector());
    put(digests, CoordinatorNames.LEARNER, job.getSpec().learner());
    return digests;
  }

  private static void put(Map<String, String> digests, String role, RoleTemplate template) {
    if (template != null) {
      digests.put(role, digest(Serialization.asJson(template)));
    }
  }

  private static String digest(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** What its user is told of templates that were changed since its status was written. */
  static List<Remark> changed(DIJob job) {
    var before = Optional.ofNullable(job.getStatus()).map(DIJobStatus::templates);
    long generation = Objects.requireNonNullElse(job.getMetadata().getGeneration(), 0L);
    // Without a change of the spec, another digest is one that another version of Muster made.
    if (before.isEmpty()
        || Objects.requireNonNullElse(job.getStatus().observedGeneration(), 0L) == generation) {
      return List.of();
    }
    var now = digests(job);
    return List.of(CoordinatorNames.COLLECTOR, CoordinatorNames.LEARNER).stream()
        .filter(role -> !Objects.equals(now.get(role), before.get().get(role)))
        .map(role -> new Remark(false, "TemplateChanged", sentence(role, generation)))
        .toList();
  }

  private static String sentence(String role, long generation) {
    return ("spec.%1$s.template has changed (generation %2$d): each %1$s that is made from now on has it,"
            + " whether asked for or in place of a lost one; those that there are stay as they are")
        .formatted(role, generation);
  }
}
