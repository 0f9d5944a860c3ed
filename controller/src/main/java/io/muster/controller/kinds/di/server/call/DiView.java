package io.muster.controller.kinds.di.server.call;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import java.util.List;
import java.util.Optional;

/** DIJobs and their pods as the watches have shown them last. Must be safe for concurrent use. */
public interface DiView {

  Optional<DIJob> job(String namespace, String name);

  /** That very job as it is now; empty if it is gone, or was not seen yet. */
  default Optional<DIJob> newest(DIJob known) {
    var metadata = known.getMetadata();
    return job(metadata.getNamespace(), metadata.getName())
        .filter(job -> job.getMetadata().getUid().equals(metadata.getUid()));
  }

  List<DIJob> jobs();

  /** The pods that belong to that very job. */
  List<Pod> pods(DIJob job);

  Optional<Pod> pod(String namespace, String name);

  /** The pods with that address that have not ended: those of all jobs, and of di-system. */
  List<Pod> at(String address);
}
