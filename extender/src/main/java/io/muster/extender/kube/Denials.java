package io.muster.extender.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.kube.OwnRights.Standing;
import java.net.HttpURLConnection;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a kind of objects may not be watched, or whether the API server has only just started and
 * refuses everything. Safe for concurrent use.
 */
public final class Denials {

  /** Where rights do not tell why, refusals count from so many on: about half a minute. */
  private static final int MOST_UNEXPLAINED = 6;

  /** As the API server names it. */
  public record Kind(String group, String plural) {

    public static Kind of(Class<?> type) {
      return new Kind(HasMetadata.getGroup(type), HasMetadata.getPlural(type));
    }
  }

  private final OwnRights rights;
  private final ResourceAttributes right;
  private final Runnable denied;
  private final AtomicInteger unexplained = new AtomicInteger();

  /**
   * @param denied is run, on another thread, each time that it is certain that they may not be
   *     watched, or that there is no such kind
   */
  public Denials(KubernetesClient client, Kind kind, Runnable denied) {
    this.rights = new OwnRights(client);
    this.right =
        new ResourceAttributesBuilder()
            .withGroup(kind.group())
            .withResource(kind.plural())
            .withVerb("list")
            .build();
    this.denied = denied;
  }

  /**
   * Takes in what a watch has failed for. Returns at once: the thread that tells of it may be one
   * that the client needs for its next request.
   *
   * @return whether the API server has refused it, so that more of the same may follow
   */
  public boolean seen(Throwable problem) {
    for (var cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException refusal) {
        if (refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
          denied.run();
          return true;
        }
        if (refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
          Thread.ofVirtual().start(this::ask);
          return true;
        }
      }
    }
    return false;
  }

  /** They have been read. */
  public void listed() {
    unexplained.set(0);
  }

  private void ask() {
    if (rights.ask(right) == Standing.DENIED || unexplained.incrementAndGet() >= MOST_UNEXPLAINED) {
      denied.run();
    }
  }
}
