package io.muster.deploy.config;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Why the apiserver did not do what a command asked for, as its user may be told. Stateless. */
public final class ApiRefusal {

  /** Whom the API server takes a caller without credentials for. */
  private static final String NOBODY = "User \"system:anonymous\"";

  /** What the client says itself of an answer that is no Status, as for a path of no kind. */
  private static final String NO_PATH = "Not Found";

  private ApiRefusal() {}

  /** One line: the apiserver's own words where it has said any. */
  public static String sentence(KubernetesClientException fault) {
    var said = Optional.ofNullable(fault.getStatus()).map(Status::getMessage);
    if (fault.getCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      return "the apiserver does not know who asks: the kubeconfig's credentials are wrong or have"
          + " expired";
    }
    if (fault.getCode() == HttpURLConnection.HTTP_FORBIDDEN
        && said.filter(words -> words.contains(NOBODY)).isPresent()) {
      return "the apiserver was not told who asks: see that the kubeconfig has the user that its"
          + " context names, and that the user's exec command or token file works";
    }
    if (isNotServed(fault)) {
      return "the apiserver does not serve a kind that is asked for: Muster's definitions are not"
          + " installed there (muster doctor names those that are missing)";
    }
    return said.filter(words -> fault.getCode() > 0 && !words.isBlank())
        .orElseGet(() ->
            "the apiserver does not answer (%s): is the kubeconfig the right one?"
                .formatted(innermost(fault)))
        .lines()
        .findFirst()
        .orElse("");
  }

  /** Whether that kind of object is not known at all. */
  public static boolean isNotServed(KubernetesClientException fault) {
    return fault.getCode() == HttpURLConnection.HTTP_NOT_FOUND
        && Optional.ofNullable(fault.getStatus())
            .map(Status::getMessage)
            .filter(NO_PATH::equals)
            .isPresent();
  }

  private static String innermost(Throwable fault) {
    var cause = fault;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return Optional.ofNullable(cause.getMessage()).orElse(cause.getClass().getSimpleName());
  }
}
