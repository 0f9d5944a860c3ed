package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kube.ForeignObjectException;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Rejection;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;

/**
 * Writes that are made alike for all kinds. What is there already, or gone already, is as good as
 * done; all else that the apiserver refuses is thrown. Safe for concurrent use, one job at a time.
 */
public final class JobWrites {

  private final KubernetesClient client;
  private final InstantSource clock;

  public JobWrites(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  /** Stores a status if it is another; gives the object as it is stored. */
  public <S, T extends CustomResource<?, S>> T storeStatus(T object, S status, JobMemory memory) {
    if (status.equals(object.getStatus())) {
      return object;
    }
    var changed = client.getKubernetesSerialization().clone(object);
    changed.setStatus(status);
    var stored = client.resource(changed).updateStatus();
    memory.wrote(stored);
    return stored;
  }

  /**
   * Makes an object; false if there is one by its name.
   *
   * @throws KubernetesClientException also after a conflict over a quota
   */
  public boolean putIfAbsent(HasMetadata object) {
    return conflictOver(object).isEmpty();
  }

  /** Makes an object; what the API server says if there is one by its name. */
  private Optional<KubernetesClientException> conflictOver(HasMetadata object) {
    try {
      client.resource(object).create();
      return Optional.empty();
    } catch (KubernetesClientException e) {
      if (!Rejection.isThereAlready(e)) {
        throw e;
      }
      return Optional.of(e);
    }
  }

  /**
   * Makes an object of the job's own; what is there already stays as it is.
   *
   * @throws ForeignObjectException if one by its name is not the job's
   * @throws KubernetesClientException also after a conflict over a quota, or if what was there was
   *     deleted meanwhile
   */
  public void putOwn(HasMetadata job, HasMetadata object) {
    var conflict = conflictOver(object);
    if (conflict.isPresent()) {
      var there = client.resource(object).get();
      if (there == null) {
        throw conflict.get();
      }
      requireOwn(job, there);
    }
  }

  /**
   * Makes an object of the job's own, or has it be as given.
   *
   * @throws ForeignObjectException if one by its name is not the job's
   */
  public void replaceOwn(HasMetadata job, HasMetadata object) {
    var there = client.resource(object).get();
    requireOwn(job, there);
    if (there == null) {
      client.resource(object).create();
      return;
    }
    // Not over what somebody writes meanwhile.
    object.getMetadata().setResourceVersion(there.getMetadata().getResourceVersion());
    client.resource(object).update();
  }

  private static void requireOwn(HasMetadata job, HasMetadata there) {
    if (there != null && !Ownership.isControlled(there, job.getMetadata().getUid())) {
      throw new ForeignObjectException(job, there);
    }
  }

  /**
   * Deletes an object if it is the job's own.
   *
   * @throws KubernetesClientException also if somebody has changed it meanwhile, or made another
   */
  public void deleteOwn(HasMetadata job, HasMetadata object) {
    deleteOwn(job, client.resource(object));
  }

  private void deleteOwn(HasMetadata job, Resource<? extends HasMetadata> object) {
    var there = object.get();
    if (there != null && Ownership.isControlled(there, job.getMetadata().getUid())) {
      deleteUnchanged(client, there);
    }
  }

  /**
   * Deletes an object as it was read.
   *
   * @throws KubernetesClientException also if somebody has changed it meanwhile, or made another
   */
  static void deleteUnchanged(KubernetesClient client, HasMetadata read) {
    try {
      client.resource(read).lockResourceVersion().delete();
    } catch (KubernetesClientException e) {
      if (Rejection.of(e) != Rejection.ABSENT) {
        throw e;
      }
    }
  }

  /** Deletes the Service of that name if it is the job's own. */
  public void deleteService(HasMetadata job, String name) {
    deleteOwn(job, client.services().inNamespace(job.getMetadata().getNamespace()).withName(name));
  }

  /**
   * A step that makes what pods need beside themselves. Where a name is another's, or the apiserver
   * does not take it, the first of the pods counts as refused, and nothing else that was decided is
   * done.
   *
   * @param pod the first of them
   */
  public PendingSteps.Step preparing(String pod, JobMemory memory, Runnable make) {
    return PendingSteps.Step.of(() -> {
      try {
        make.run();
      } catch (ForeignObjectException e) {
        memory.refused(pod, e.getMessage(), clock.instant());
        throw new HeldBackException(e);
      } catch (KubernetesClientException e) {
        if (Rejection.of(e) != Rejection.REFUSED) {
          throw e;
        }
        memory.refused(pod, Rejection.sentence(e), clock.instant());
        throw new HeldBackException(e);
      }
    });
  }

  /**
   * Makes a pod and what belongs to it; remembers it where the apiserver refuses that, and then
   * tries no other like it before it is decided anew.
   *
   * @return whether something is known now: that it is there, or why it is not
   */
  boolean makePod(HasMetadata job, Action.Create create, JobMemory memory, Runnable make) {
    if (memory.isInVain(create)) {
      return true;
    }
    try {
      make.run();
      memory.allowed(create);
      return true;
    } catch (ForeignObjectException e) {
      memory.refused(create, e.getMessage(), clock.instant());
      return true;
    } catch (UnfitPodException e) {
      memory.refusedAllLike(create, e.getMessage(), clock.instant());
      return true;
    } catch (KubernetesClientException e) {
      return notMade(e, job, create, memory);
    }
  }

  private boolean notMade(
      KubernetesClientException e, HasMetadata job, Action.Create create, JobMemory memory) {
    switch (Rejection.of(e)) {
      case CONFLICT -> {
        var there =
            client
                .pods()
                .inNamespace(job.getMetadata().getNamespace())
                .withName(create.name())
                .get();
        if (there == null || Ownership.isControlled(there, job.getMetadata().getUid())) {
          return false;
        }
        memory.refused(
            create, new ForeignObjectException(job, there).getMessage(), clock.instant());
      }
      case REFUSED -> memory.refusedAllLike(create, Rejection.sentence(e), clock.instant());
      case ABSENT, NAMESPACE_ENDS, UNAVAILABLE -> throw e;
    }
    return true;
  }

  /**
   * A copy of an object that the job takes up, and that goes with it from now on; whoever else owns
   * it stays.
   */
  public <T extends HasMetadata> T owned(HasMetadata job, T object) {
    var uid = job.getMetadata().getUid();
    var owners = new ArrayList<>(object.getMetadata().getOwnerReferences());
    boolean isOwned = owners.stream().anyMatch(owner -> owner.getUid().equals(uid));
    if (isOwned && uid.equals(Marks.annotations(object).get(Ownership.TAKEN_UP_BY))) {
      return client.getKubernetesSerialization().clone(object);
    }
    if (!isOwned) {
      var own = Ownership.by(job);
      own.setController(
          owners.stream().noneMatch(owner -> Boolean.TRUE.equals(owner.getController())));
      owners.add(own);
    }
    var annotations = Map.of(Ownership.TAKEN_UP_BY, uid);
    var metadata = Map.of("ownerReferences", owners, "annotations", annotations);
    return merge(client, object, Map.of("metadata", metadata));
  }

  /** Sets an annotation of that very object; gives it as it is stored. */
  public <T extends HasMetadata> T annotate(T object, String key, String value) {
    var metadata = Map.of("uid", object.getMetadata().getUid(), "annotations", Map.of(key, value));
    return merge(client, object, Map.of("metadata", metadata));
  }

  /**
   * Sets annotations of a pod as it was read, or takes away those that are null.
   *
   * @throws KubernetesClientException also if somebody has changed it meanwhile
   */
  void annotate(Pod read, Map<String, String> annotations) {
    var version = read.getMetadata().getResourceVersion();
    merge(
        client,
        read,
        Map.of("metadata", Map.of("resourceVersion", version, "annotations", annotations)));
  }

  /** Writes parts of an object, and leaves the others as they are; gives it as it is stored. */
  public static <T extends HasMetadata> T merge(
      KubernetesClient client, T object, Map<String, ?> parts) {
    var patch = client.getKubernetesSerialization().asJson(parts);
    return client.resource(object).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /** Puts a label on that very pod, or takes it away, if the pod is still there. */
  public void label(ObjectMeta pod, String key, Optional<String> value) {
    var patch =
        "{\"metadata\":{\"uid\":\"%s\",\"labels\":{\"%s\":%s}}}"
            .formatted(pod.getUid(), key, value.map(text -> '"' + text + '"').orElse("null"));
    ignoringAbsence(() ->
        client
            .pods()
            .inNamespace(pod.getNamespace())
            .withName(pod.getName())
            .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /** Deletes that very pod. */
  public void deletePod(HasMetadata job, String name, String uid, JobMemory memory) {
    deletePod(client, job.getMetadata().getNamespace(), name, uid);
    memory.deleted(uid);
  }

  /** Deletes the pod of that uid, and no other of its name. */
  public static void deletePod(KubernetesClient client, String namespace, String name, String uid) {
    delete(client, "/api/v1/namespaces/%s/pods/%s".formatted(namespace, name), uid);
  }

  /** Deletes that very object, and no other of its name. */
  public static void delete(KubernetesClient client, CustomResource<?, ?> object) {
    var metadata = object.getMetadata();
    var path =
        "/apis/%s/namespaces/%s/%s/%s"
            .formatted(
                object.getApiVersion(),
                metadata.getNamespace(),
                object.getPlural(),
                metadata.getName());
    delete(client, path, metadata.getUid());
  }

  private static void delete(KubernetesClient client, String path, String uid) {
    var options =
        new DeleteOptionsBuilder().withNewPreconditions().withUid(uid).endPreconditions().build();
    ignoringAbsence(() -> client.raw(path, "DELETE", options));
  }

  /** Writes to something that may be gone. */
  public static void ignoringAbsence(Runnable write) {
    try {
      write.run();
    } catch (KubernetesClientException e) {
      switch (Rejection.of(e)) {
        case ABSENT, CONFLICT -> {}
        case NAMESPACE_ENDS, REFUSED, UNAVAILABLE -> throw e;
      }
    }
  }
}
