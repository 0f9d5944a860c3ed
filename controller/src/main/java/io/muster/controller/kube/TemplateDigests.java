package io.muster.controller.kube;

import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.JobStatus;
import io.muster.controller.api.StoredState;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** Notices that the templates by which the pods of a live job are made have changed. */
public final class TemplateDigests {

  private TemplateDigests() {}

  /**
   * The templates as they are.
   *
   * @param templates by field
   */
  public static Map<String, String> of(Map<String, ?> templates) {
    var digests = new TreeMap<String, String>();
    templates.forEach(
        (field, template) -> digests.put(field, Digest.shortOf(Serialization.asJson(template))));
    return digests;
  }

  /**
   * What the job's user is told of templates that were changed since its status was written.
   *
   * @param job as it was before the status that is written now
   * @param templates by field, as they are now
   */
  public static List<Remark> changes(
      CustomResource<?, ? extends JobStatus> job, Map<String, ?> templates) {
    long generation = Objects.requireNonNullElse(job.getMetadata().getGeneration(), 0L);
    var status = Optional.<JobStatus>ofNullable(job.getStatus());
    var known = status.map(JobStatus::state).map(StoredState::templates);
    // Without a change of the spec, another digest is one that another version of Muster made.
    if (known.isEmpty() || status.map(JobStatus::observedGeneration).orElse(0L) == generation) {
      return List.of();
    }
    return of(templates).entrySet().stream()
        .filter(now -> known.get().containsKey(now.getKey()))
        .filter(now -> !now.getValue().equals(known.get().get(now.getKey())))
        .map(now -> Remark.normal("TemplateChanged", sentence(now.getKey(), generation)))
        .toList();
  }

  private static String sentence(String field, long generation) {
    return ("%s has changed (generation %d): each pod that is made from now on has it, also in place"
            + " of a lost one; those that there are stay as they are, but for the queue in which"
            + " they wait")
        .formatted(field, generation);
  }
}
