package io.muster.controller.framework;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.paddle.api.PaddleJob;

/** A job of each kind under a name, as its users write it. */
final class JobsOfAllKinds {

  private JobsOfAllKinds() {}

  static TrainingJob horovod(String name) {
    return Serialization.unmarshal(
        """
        apiVersion: kai.alibabacloud.com/v1alpha1
        kind: TrainingJob
        metadata: {name: %s, namespace: ml}
        spec:
          etReplicaSpecs:
            launcher: {template: {spec: {containers: [{name: main, image: mine}]}}}
            worker: {replicas: 2, template: {spec: {containers: [{name: main, image: mine}]}}}
        """
            .formatted(name),
        TrainingJob.class);
  }

  static PaddleJob paddle(String name) {
    return Serialization.unmarshal(
        """
        apiVersion: paddlepaddle.org/v1
        kind: TrainingJob
        metadata: {name: %s, namespace: ml}
        spec: {trainer: {entrypoint: train, min-instance: 2, max-instance: 2}}
        """
            .formatted(name),
        PaddleJob.class);
  }

  static DIJob tasks(String name) {
    return Serialization.unmarshal(
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: %s, namespace: ml}
        spec:
          tasks:
          - {type: learner, name: learner, replicas: 2, template: {spec: {containers: [{name: l, image: l}]}}}
        """
            .formatted(name),
        DIJob.class);
  }

  static ElasticJob elastic(String name, String gang) {
    return Serialization.unmarshal(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: %s, namespace: ml}
        spec:
          replicaSpecs:
            worker:
              replicas: 2
              template:
                metadata: {annotations: {muster.io/gang-name: %s, muster.io/gang-min: "2"}}
                spec: {containers: [{name: main, image: mine}]}
        """
            .formatted(name, gang),
        ElasticJob.class);
  }
}
