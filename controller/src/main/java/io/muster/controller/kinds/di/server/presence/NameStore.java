package io.muster.controller.kinds.di.server.presence;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;

/**
 * What the API server has under the names of the server. Reading asks nobody; each write blocks for
 * a bounded time and throws {@link KubernetesClientException} where it fails. Must be safe for
 * concurrent use.
 */
public interface NameStore extends AutoCloseable {

  /** Whose a Service is. */
  enum Standing {
    /** It is not known yet. */
    UNKNOWN,
    ABSENT,
    MUSTERS,
    ANOTHERS
  }

  /** Begins to read; returns at once. */
  void start();

  Standing standing(ServerName name);

  /** The slices that Muster's processes have put there. */
  List<EndpointSlice> slices(ServerName name);

  /** Makes the Service. */
  void make(ServerName name);

  /** Puts a slice there, in place of what is there under its name. */
  void put(EndpointSlice slice);

  /** Leads nobody there any more, if the slice is still as it was seen. */
  void turnAway(EndpointSlice seen);

  /** Deletes it; one that is gone already is as good as deleted. */
  void delete(EndpointSlice slice);

  @Override
  void close();
}
