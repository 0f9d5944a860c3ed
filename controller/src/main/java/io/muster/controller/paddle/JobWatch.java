package io.muster.controller.paddle;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.kube.Ownership;
import io.muster.controller.paddle.api.PaddleJob;
import java.util.List;

/** What the watches of one reconciler show of all jobs. Safe for concurrent use. */
record JobWatch(IndexedResourceCache<PaddleJob> jobs, InformerEventSource<Pod, PaddleJob> pods) {

  /** The job's own pods. */
  List<Pod> podsOf(PaddleJob job) {
    var uid = job.getMetadata().getUid();
    return pods.getSecondaryResources(job).stream()
        .filter(pod -> Ownership.isOwned(pod, uid))
        .toList();
  }
}
