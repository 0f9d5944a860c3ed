package io.muster.webhook.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.kube.LeanObjects;
import io.muster.extender.kube.Translation;
import io.muster.webhook.core.PodFacts;
import io.muster.webhook.core.PodFacts.AffinityFacts;
import io.muster.webhook.core.PodFacts.ContainerFacts;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/** Reads the pod out of a review. Safe for concurrent use. */
record PodReading(Translation translation, InstantSource clock) {

  private static final ObjectReader READER = reader();

  private static ObjectReader reader() {
    var mapper =
        JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    LeanObjects.addTo(mapper);
    return mapper.readerFor(Pod.class);
  }

  /** The pod as sent, with what the apiserver fills in later: namespace and time of creation. */
  Pod object(Review review) throws MalformedReviewException {
    if (!review.object().isObject()) {
      throw new MalformedReviewException("the request has no object");
    }
    Pod pod;
    try {
      pod = READER.treeToValue(review.object(), Pod.class);
    } catch (JsonProcessingException | IllegalArgumentException _) {
      throw new MalformedReviewException("the object is no pod");
    }
    if (pod.getMetadata() == null) {
      pod.setMetadata(new ObjectMeta());
    }
    if (pod.getSpec() == null) {
      throw new MalformedReviewException("the pod has no spec");
    }
    var metadata = pod.getMetadata();
    if (isEmpty(metadata.getNamespace())) {
      metadata.setNamespace(review.namespace());
    }
    if (isEmpty(metadata.getCreationTimestamp())) {
      metadata.setCreationTimestamp(clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    }
    return pod;
  }

  PodFacts facts(Pod pod) {
    var spec = pod.getSpec();
    return new PodFacts(
        translation.pod(pod),
        markings(pod),
        spec.getSchedulingGates().stream().map(PodSchedulingGate::getName).toList(),
        Boolean.TRUE.equals(spec.getHostNetwork()),
        new AffinityFacts(
            spec.getAffinity() != null,
            spec.getAffinity() != null && spec.getAffinity().getNodeAffinity() != null),
        spec.getInitContainers().stream().map(PodReading::container).toList(),
        spec.getContainers().stream().map(PodReading::container).toList());
  }

  static Markings markings(Pod pod) {
    var metadata = pod.getMetadata();
    return new Markings(
        metadata.getNamespace(), present(metadata.getLabels()), present(metadata.getAnnotations()));
  }

  private static ContainerFacts container(Container container) {
    var resources = container.getResources();
    return resources == null
        ? new ContainerFacts(false, Map.of(), Map.of())
        : new ContainerFacts(
            true, written(resources.getRequests()), written(resources.getLimits()));
  }

  private static Map<String, String> written(Map<String, Quantity> quantities) {
    var written = new HashMap<String, String>();
    present(quantities).forEach((name, quantity) -> written.put(name, quantity.toString()));
    return written;
  }

  private static <T> Map<String, T> present(Map<String, T> map) {
    var present = new HashMap<String, T>();
    if (map != null) {
      map.forEach((key, value) -> {
        if (value != null) {
          present.put(key, value);
        }
      });
    }
    return present;
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }
}
