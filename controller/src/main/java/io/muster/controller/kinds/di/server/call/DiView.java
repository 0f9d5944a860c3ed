package io.muster.controller.kinds.di.server.call;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import java.util.List;

/** DIJobs and their pods as the watches have shown them last. Must be safe for concurrent use. */
public interface DiView extends DiObjects {

  List<DIJob> jobs();

  /** The pods that belong to that very job. */
  List<Pod> pods(DIJob job);

  /** The pods with that address that have not ended: those of all jobs, and of di-system. */
  List<Pod> at(String address);
}
