package io.muster.e2e;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.muster.sandbox.TestSpace;
import java.util.List;
import java.util.Map;

/** Volumes of one storage class that are each on one node, and claims for them. */
record LocalVolumes(TestSpace space, String storageClass) {

  private static final Map<String, Quantity> SIZE = Map.of("storage", new Quantity("1Gi"));

  /** Makes a volume on that node that goes by the node's name. */
  void on(String node) {
    space
        .client()
        .resource(
            new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(node)
                .endMetadata()
                .withNewSpec()
                .withStorageClassName(storageClass)
                .withAccessModes("ReadWriteOnce")
                .withCapacity(SIZE)
                .withPersistentVolumeReclaimPolicy("Retain")
                .withNewLocal()
                .withPath("/any")
                .endLocal()
                .withNewNodeAffinity()
                .withNewRequired()
                .addNewNodeSelectorTerm()
                .addToMatchExpressions(
                    new NodeSelectorRequirement("kubernetes.io/hostname", "In", List.of(node)))
                .endNodeSelectorTerm()
                .endRequired()
                .endNodeAffinity()
                .endSpec()
                .build())
        .create();
  }

  /** Claims any of the volumes. */
  void claim(String name) {
    claim(name, "");
  }

  /** Claims the volume on that node. */
  void claim(String name, String node) {
    space
        .client()
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewSpec()
                .withStorageClassName(storageClass)
                .withVolumeName(node)
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .withRequests(SIZE)
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  /** Has the pod mount a volume of its own, for which a claim is made once the pod is there. */
  Pod withScratch(Pod pod) {
    pod.getSpec()
        .setVolumes(
            List.of(
                new VolumeBuilder()
                    .withName("scratch")
                    .withNewEphemeral()
                    .withNewVolumeClaimTemplate()
                    .withNewSpec()
                    .withStorageClassName(storageClass)
                    .withAccessModes("ReadWriteOnce")
                    .withNewResources()
                    .withRequests(SIZE)
                    .endResources()
                    .endSpec()
                    .endVolumeClaimTemplate()
                    .endEphemeral()
                    .build()));
    return pod;
  }

  /** Has the pod mount what is claimed by that name. */
  static Pod mounting(Pod pod, String claim) {
    pod.getSpec()
        .setVolumes(
            List.of(
                new VolumeBuilder()
                    .withName("data")
                    .withNewPersistentVolumeClaim()
                    .withClaimName(claim)
                    .endPersistentVolumeClaim()
                    .build()));
    return pod;
  }
}
