package io.muster.deploy.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.json.MalformedPodException;
import io.muster.webhook.json.PatchJson;
import io.muster.webhook.json.PodReading;
import java.time.InstantSource;

/**
 * Sees pods that nobody has made as the decisions would see them: with what the webhook adds. What
 * others add at admission is not known here. Safe for concurrent use.
 */
public final class Preview {

  private static final ObjectMapper JSON = new JsonMapper();

  private final PodConverter translation;
  private final PodReading reading;
  private final PodAdmission admission;

  /** What would become of a pod. */
  public sealed interface Seen {

    /** It would be stored so. */
    record Stored(io.muster.extender.core.cluster.Pod pod) implements Seen {}

    /** It would be refused; the sentence says why. */
    record Refused(String sentence) implements Seen {}
  }

  public Preview(PodConverter translation, PodAdmission.Sources sources, InstantSource clock) {
    this.translation = translation;
    this.reading = new PodReading(translation, clock);
    this.admission = new PodAdmission(sources);
  }

  /** What would become of the pod, whose namespace is set. */
  Seen of(Pod pod) {
    return of(JSON.valueToTree(pod), pod.getMetadata().getNamespace());
  }

  /** What would become of the pod as the apiserver would be sent it. */
  public Seen of(JsonNode tree, String namespace) {
    try {
      return switch (admission.admit(reading.facts(reading.sent(tree, namespace)))) {
        case Admission.Denied(int _, String message) -> new Seen.Refused(message);
        case Admission.Allowed allowed -> {
          var stored = JsonPatch.apply(PatchJson.of(allowed.patch()), tree);
          yield new Seen.Stored(translation.pod(reading.sent(stored, namespace).pod()));
        }
      };
    } catch (MalformedPodException e) {
      return new Seen.Refused(e.getMessage());
    }
  }
}
