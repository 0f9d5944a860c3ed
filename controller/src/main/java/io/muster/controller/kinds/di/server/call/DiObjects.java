package io.muster.controller.kinds.di.server.call;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import java.util.Optional;

/** DIJobs and their pods by name, from wherever they are read. */
public interface DiObjects {

  Optional<DIJob> job(String namespace, String name);

  Optional<Pod> pod(String namespace, String name);

  /** That very job as it is now; empty if it is gone, or was not seen yet. */
  default Optional<DIJob> newest(DIJob known) {
    var metadata = known.getMetadata();
    return job(metadata.getNamespace(), metadata.getName())
        .filter(job -> job.getMetadata().getUid().equals(metadata.getUid()));
  }
}
