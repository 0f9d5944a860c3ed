package io.muster.deploy.release;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.controller.kube.Marks;
import io.muster.deploy.config.ApiRefusal;
import io.muster.deploy.install.DefinitionInCluster;
import io.muster.deploy.install.InstallFiles;
import io.muster.extender.kube.shadow.LedgerObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Takes away what Muster has put into a cluster, once nobody there is Muster any more. No pod is
 * ended, and no job. Each step may be repeated.
 */
final class Uninstall {

  private static final String OWNED = "app.kubernetes.io/managed-by";
  private static final String OWNED_SLICE = "endpointslice.kubernetes.io/managed-by";
  private static final String MUSTER = "muster";

  /** Rights for all kinds of jobs at once, as earlier versions had them. */
  private static final String EARLIER = "muster-jobs";

  private static final List<String> SECRETS =
      List.of(SecretCertificateStore.CERTIFICATES, SecretCertificateStore.SCHEDULER_CLIENT);

  private static final int NAMED = 5;

  private final KubernetesClient client;
  private final String namespace;
  private final Consumer<String> out;
  private final SortedMap<String, String> refused = new TreeMap<>();

  Uninstall(KubernetesClient client, String namespace, Consumer<String> out) {
    this.client = client;
    this.namespace = namespace;
    this.out = out;
  }

  /** Who leads, or led last, and since when it is renewed; empty if there is no Lease. */
  Optional<LeaseSpec> lease() {
    return Optional.ofNullable(client.leases().inNamespace(namespace).withName(MUSTER).get())
        .map(Lease::getSpec);
  }

  /**
   * All but the definitions. What tells that Muster was here goes last, and stays where anything
   * else does, so that a run that was cut off can be repeated.
   *
   * @param here whether the namespace is Muster's: what is in another one is nobody's business
   */
  void all(boolean here) {
    var found = new ArrayList<>(ofTheCluster());
    if (here) {
      found.addAll(ofTheNamespace());
    }
    var rights = rights(here);
    found.addAll(rights.stream().filter(object -> !isTrace(object)).toList());
    found.forEach(this::take);
    if (here) {
      ownNamespace();
    }
    if (refused.isEmpty()) {
      rights.stream().filter(Uninstall::isTrace).forEach(this::take);
    }
  }

  /** What the API server would not delete, in a sentence; empty if there is no such object. */
  Optional<String> left() {
    return new ManyWrites.Outcome(0, refused)
        .words()
        .map(objects -> "objects that could not be deleted, " + objects);
  }

  private List<HasMetadata> ofTheCluster() {
    var found = new ArrayList<HasMetadata>();
    var registrations = client.admissionRegistration().v1();
    found.addAll(
        registrations
            .validatingAdmissionPolicyBindings()
            .withLabel(OWNED, MUSTER)
            .list()
            .getItems());
    found.addAll(
        registrations.validatingAdmissionPolicies().withLabel(OWNED, MUSTER).list().getItems());
    var slices = client.discovery().v1().endpointSlices().inAnyNamespace();
    found.addAll(slices.withLabel(OWNED_SLICE, MUSTER).list().getItems());
    found.addAll(unusedServices());
    return found;
  }

  private List<HasMetadata> ofTheNamespace() {
    var found = new ArrayList<HasMetadata>();
    present(client.leases().inNamespace(namespace).withName(MUSTER).get(), found);
    var secrets = client.secrets().inNamespace(namespace);
    SECRETS.stream()
        .flatMap(name -> Stream.ofNullable(secrets.withName(name).get()))
        // Secrets of these names may be of others: of cert-manager, or written by hand.
        .filter(secret -> MUSTER.equals(Marks.labels(secret).get(OWNED)))
        .forEach(found::add);
    present(client.configMaps().inNamespace(namespace).withName(LedgerObject.NAME).get(), found);
    return found;
  }

  private List<HasMetadata> rights(boolean here) {
    var found = new ArrayList<HasMetadata>();
    var files = new ArrayList<>(InstallFiles.rights());
    InstallFiles.JOBS.keySet().stream()
        .sorted()
        .map(InstallFiles::rightsForJobs)
        .forEach(files::addAll);
    files.addAll(InstallFiles.rightsOfTheBoard());
    files.stream()
        .filter(object -> !object.getKind().equals("Namespace"))
        .filter(
            object -> here || !InstallFiles.NAMESPACE.equals(object.getMetadata().getNamespace()))
        .forEach(object -> present(client.resource(here(object)).get(), found));
    var roles = client.rbac();
    present(roles.clusterRoleBindings().withName(EARLIER).get(), found);
    present(roles.clusterRoles().withName(EARLIER).get(), found);
    return found;
  }

  /** By which {@link Installation} finds out where Muster was. */
  private static boolean isTrace(HasMetadata object) {
    return object.getKind().equals("ClusterRoleBinding")
        && object.getMetadata().getName().equals(MUSTER);
  }

  /** The files name the namespace that is meant unless another is said. */
  private HasMetadata here(HasMetadata object) {
    if (InstallFiles.NAMESPACE.equals(object.getMetadata().getNamespace())) {
      object.getMetadata().setNamespace(namespace);
    }
    return object;
  }

  private static void present(HasMetadata object, List<HasMetadata> found) {
    Optional.ofNullable(object).ifPresent(found::add);
  }

  /** Members of a gang that runs may still look for each other by name. */
  private List<Service> unusedServices() {
    var services = client.services().inAnyNamespace().withLabel(OWNED, MUSTER).list().getItems();
    var used = services.stream().filter(this::isUsed).toList();
    if (!used.isEmpty()) {
      out.accept(
          "Services by which running members find each other stay, %d: they go with the Gang objects"
              .formatted(used.size()));
    }
    return services.stream().filter(service -> !used.contains(service)).toList();
  }

  private boolean isUsed(Service service) {
    var selector =
        Objects.requireNonNullElse(service.getSpec().getSelector(), Map.<String, String>of());
    return !selector.isEmpty()
        && client
            .pods()
            .inNamespace(service.getMetadata().getNamespace())
            .withLabels(selector)
            .list()
            .getItems()
            .stream()
            .anyMatch(pod -> !List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()));
  }

  private void ownNamespace() {
    var own = client.namespaces().withName(namespace).get();
    if (own == null || own.getMetadata().getDeletionTimestamp() != null) {
      return;
    }
    var others = new NamespaceContents(client, namespace).others();
    if (others.isEmpty()) {
      take(own);
      return;
    }
    var more = others.size() - NAMED;
    out.accept(
        "namespace %s stays: not all in it is of Muster's installation: %s%s"
            .formatted(
                namespace,
                String.join(", ", others.stream().limit(NAMED).toList()),
                more > 0 ? " and %d more".formatted(more) : ""));
  }

  /**
   * Muster's definitions of which no job is left, that of gangs with all Gang objects. With a job
   * would go its pods, so kinds that have one stay; and so do those that somebody else has brought.
   */
  void definitions() {
    boolean allGone = true;
    for (var wanted : InstallFiles.definitions()) {
      var name = wanted.getMetadata().getName();
      var found = DefinitionInCluster.find(client, name);
      if (found.isEmpty()) {
        continue;
      }
      var there = found.get();
      var kept = name.equals(InstallFiles.GANGS) ? Optional.<String>empty() : keeps(there, wanted);
      if (kept.isPresent()) {
        allGone = false;
        out.accept("CustomResourceDefinition %s stays: %s".formatted(name, kept.get()));
      } else {
        take(there.there());
      }
    }
    if (allGone) {
      InstallFiles.rightsOfUsers().stream()
          .flatMap(object -> Optional.ofNullable(client.resource(object).get()).stream())
          .forEach(this::take);
    }
  }

  /** Why a definition of jobs is not deleted. */
  private Optional<String> keeps(DefinitionInCluster there, CustomResourceDefinition wanted) {
    if (there.isOfReleaseOutside(namespace)) {
      return Optional.of("it is of %s".formatted(there.whose()));
    }
    if (!there.says(wanted)) {
      return Optional.of(
          "it is not the one of this version of Muster, but of %s; delete it by hand if nobody needs it"
              .formatted(there.whose()));
    }
    int jobs = objects(there.there());
    return jobs == 0
        ? Optional.empty()
        : Optional.of(
            "with its objects, %d, would go their pods; delete them first".formatted(jobs));
  }

  private int objects(CustomResourceDefinition definition) {
    var version = definition.getSpec().getVersions().getFirst().getName();
    var kind = DefinitionInCluster.kind(definition, version);
    return client.genericKubernetesResources(kind).inAnyNamespace().list().getItems().size();
  }

  /**
   * Deleted in the background; what is there no more is none of our business. One that the API
   * server refuses keeps no other from going.
   *
   * @throws KubernetesClientException if the API server does not answer
   */
  private void take(HasMetadata object) {
    var metadata = object.getMetadata();
    var name =
        "%s %s%s"
            .formatted(
                object.getKind(),
                metadata.getNamespace() == null ? "" : metadata.getNamespace() + "/",
                metadata.getName());
    try {
      client.resource(object).delete();
      out.accept("deleted: " + name);
    } catch (KubernetesClientException e) {
      if (e.getCode() <= 0) {
        throw e;
      }
      refused.put(name, ApiRefusal.sentence(e));
    }
  }
}
