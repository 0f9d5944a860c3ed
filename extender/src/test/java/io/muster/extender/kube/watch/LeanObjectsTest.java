package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.Gang;
import org.junit.jupiter.api.Test;

/** What is skipped is what nobody reads. */
final class LeanObjectsTest {

  private static final String POD =
      """
      {"kind": "Pod", "apiVersion": "v1",
       "metadata": {"name": "w-3", "namespace": "ml", "uid": "u3", "resourceVersion": "7",
         "creationTimestamp": "2026-02-03T04:05:06Z",
         "annotations": {"muster.io/gang-name": "g", "muster.io/gang-min": "2"},
         "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "j1", "controller": true}],
         "managedFields": [{"manager": "x", "fieldsV1": {"f:spec": {}}}]},
       "spec": {"nodeName": "n1", "schedulerName": "mine",
         "containers": [{"name": "main", "image": "x", "env": [{"name": "A", "value": "b"}],
           "ports": [{"containerPort": 80, "hostPort": 8080, "protocol": "TCP"}],
           "livenessProbe": {"httpGet": {"port": 80}},
           "volumeMounts": [{"name": "data", "mountPath": "/data"}],
           "resources": {"limits": {"nvidia.com/gpu": "2"}, "requests": {"cpu": "3", "memory": "1Gi"}}}],
         "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
           {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
         "tolerations": [{"key": "gpu", "operator": "Exists"}],
         "nodeSelector": {"set": "gpu"}, "newField": {"of": ["a", "later", "version"]}},
       "status": {"phase": "Running", "nominatedNodeName": "n2",
         "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0, "image": "x", "imageID": ""}],
         "conditions": [{"type": "PodScheduled", "status": "True"}]}}
      """;

  private final KubernetesSerialization lean = LeanObjects.serialization();
  private final PodConverter translation = new PodConverter(new DialectDetector());

  @Test
  void aWatchedPodMeansTheSameAsAWholeOne() {
    var event = event("MODIFIED", POD);
    var whole = new KubernetesSerialization().unmarshal(POD, Pod.class);

    assertThat(event.getType()).isEqualTo("MODIFIED");
    assertThat(event.getObject()).isInstanceOf(Pod.class);
    var pod = (Pod) event.getObject();
    assertThat(translation.pod(pod)).isEqualTo(translation.pod(whole));
    assertThat(translation.pod(pod).origin().mountsClaims()).isTrue();
    assertThat(pod.getMetadata().getResourceVersion()).isEqualTo("7");
    assertThat(pod.getSpec().getContainers().getFirst().getEnv()).isEmpty();
  }

  @Test
  void theOrderOfItsFieldsDoesNotMatter() {
    var turned = POD.replace("\"kind\": \"Pod\", \"apiVersion\": \"v1\",", "");
    var last =
        turned.stripTrailing().substring(0, turned.stripTrailing().length() - 1)
            + ", \"apiVersion\": \"v1\", \"kind\": \"Pod\"}";

    assertThat(event("ADDED", last).getObject())
        .isInstanceOfSatisfying(
            Pod.class, pod -> assertThat(pod.getMetadata().getName()).isEqualTo("w-3"));
  }

  @Test
  void otherObjectsAndErrorsAreReadAsWhatTheyAre() {
    assertThat(
            event(
                    "ERROR",
                    "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"code\": 410, \"reason\": \"Gone\"}")
                .getObject())
        .isInstanceOfSatisfying(
            Status.class, status -> assertThat(status.getCode()).isEqualTo(410));
    assertThat(
            event(
                    "ADDED",
                    "{\"apiVersion\": \"muster.io/v1alpha1\", \"kind\": \"Gang\", \"metadata\": {\"name\": \"g\"}}")
                .getObject())
        .isInstanceOf(Gang.class);
  }

  @Test
  void changesThatMeanNothingAreNotTold() {
    var memory = new PodMemory(translation);
    var first = lean.unmarshal(POD, Pod.class);
    memory.read(first);

    var other = POD.replace("\"restartCount\": 0", "\"restartCount\": 4");
    assertThat(memory.changed(first, lean.unmarshal(other, Pod.class))).isEmpty();
    var ended = lean.unmarshal(POD.replace("\"Running\"", "\"Succeeded\""), Pod.class);
    assertThat(memory.changed(first, ended)).contains(translation.pod(ended));
    var marked = lean.unmarshal(POD.replace("gang-min\": \"2\"", "gang-min\": \"3\""), Pod.class);
    assertThat(memory.changed(ended, marked)).contains(translation.pod(marked));
  }

  private WatchEvent event(String type, String object) {
    return lean.unmarshal(
        "{\"type\": \"%s\", \"object\": %s}".formatted(type, object), WatchEvent.class);
  }
}
