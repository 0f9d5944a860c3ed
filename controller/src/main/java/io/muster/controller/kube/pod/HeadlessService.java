package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.muster.controller.kube.Ownership;
import java.util.List;
import java.util.Map;

/** The Services by which the pods of a job have names. */
public final class HeadlessService {

  private HeadlessService() {}

  /**
   * One that goes with the job.
   *
   * @param labels of the Service and of the pods behind it
   */
  public static Service of(
      HasMetadata job, String name, Map<String, String> labels, List<ServicePort> ports) {
    var metadata = Ownership.metadata(job, name);
    metadata.setLabels(labels);
    return new ServiceBuilder()
        .withMetadata(metadata)
        .withNewSpec()
        .withClusterIP("None")
        .withSelector(labels)
        .withPorts(ports)
        .endSpec()
        .build();
  }

  public static ServicePort port(String name, int number) {
    return new ServicePortBuilder().withName(name).withPort(number).build();
  }
}
