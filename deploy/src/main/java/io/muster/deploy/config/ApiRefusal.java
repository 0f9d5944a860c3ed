package io.muster.deploy.config;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Why the apiserver did not do what a command asked for, as its user may be told. Stateless. */
public final class ApiRefusal {

  private ApiRefusal() {}

  /** One line: the apiserver's own words where it has said any. */
  public static String sentence(KubernetesClientException fault) {
    var said = Optional.ofNullable(fault.getStatus()).map(Status::getMessage);
    if (fault.getCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      return "the apiserver does not know who asks: the kubeconfig's credentials are wrong or have"
          + " expired";
    }
    return said.filter(words -> fault.getCode() > 0 && !words.isBlank())
        .orElseGet(() ->
            "the apiserver does not answer (%s): is the kubeconfig the right one?"
                .formatted(innermost(fault)))
        .lines()
        .findFirst()
        .orElse("");
  }

  private static String innermost(Throwable fault) {
    var cause = fault;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return Optional.ofNullable(cause.getMessage()).orElse(cause.getClass().getSimpleName());
  }
}
