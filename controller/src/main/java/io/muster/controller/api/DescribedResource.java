package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;

/**
 * An object of a kind that Muster serves, with what kubectl explain says of its two halves. kubectl
 * get shows its age behind its own columns. Confined to one thread, as every fabric8 object.
 *
 * @param <S> what is wanted
 * @param <T> how far it has come
 */
public abstract class DescribedResource<S, T> extends CustomResource<S, T> implements Namespaced {

  @JsonPropertyDescription("What is wanted.")
  @Override
  public S getSpec() {
    return super.getSpec();
  }

  @JsonPropertyDescription("How far it has come. Written by Muster only.")
  @Override
  public T getStatus() {
    return super.getStatus();
  }
}
