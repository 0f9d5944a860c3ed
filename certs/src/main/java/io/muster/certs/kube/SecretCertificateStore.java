package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.certs.CertificateStore;
import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.Pem;
import io.muster.certs.x509.Purpose;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the certificates in two Secrets of Muster's namespace: {@value #CERTIFICATES} is Muster's
 * own, {@value #SCHEDULER_CLIENT} is for whoever runs kube-scheduler and holds no CA key. The first
 * one decides which authority is in force, and is always written first; the second follows from it.
 * Safe for concurrent use, also by several replicas.
 */
public final class SecretCertificateStore implements CertificateStore {

  /** Holds ca.crt, ca.key, tls.crt and tls.key, and how far a change of CA has come. */
  public static final String CERTIFICATES = "muster-certificates";

  /** Holds ca.crt, tls.crt and tls.key, ready to be mounted into kube-scheduler. */
  public static final String SCHEDULER_CLIENT = "muster-scheduler-client";

  private static final Map<String, String> LABELS =
      Map.of("app.kubernetes.io/name", "muster", "app.kubernetes.io/managed-by", "muster");
  private static final String REPLACE_CA =
      "restore the Secret from a backup, or delete it: a running Muster then writes back what it"
          + " works with; without one the next start makes a new CA, and kube-scheduler needs its new "
          + SCHEDULER_CLIENT;
  private static final String REPLACE_LEAF =
      "remove tls.crt and tls.key from the Secret: Muster issues them again with the same CA";
  private static final String REPLACE_CHANGE =
      "put right the keys "
          + SecretFields.NEXT_CERTIFICATE
          + " and "
          + SecretFields.NEXT_KEY
          + ", or remove both: the change of CA is then given up";
  private static final String REPLACE_BRIDGES =
      "remove the key from the Secret; kube-schedulers that know a former CA alone must then be"
          + " started again";
  private static final String REPLACE_OVERLAP =
      "write an instant such as 2027-01-31T00:00:00Z, until which the former CA is trusted";
  private static final String REPLACE_CLIENT =
      "delete the Secret: Muster issues it again with the same CA, then hand it to kube-scheduler"
          + " again";

  private final Secrets secrets;

  public SecretCertificateStore(KubernetesClient client, String namespace) {
    this(new ApiSecrets(client, namespace, "get, create and update"));
  }

  SecretCertificateStore(Secrets secrets) {
    this.secrets = secrets;
  }

  @Override
  public String place() {
    return "Secret " + secrets.namespace() + "/" + CERTIFICATES;
  }

  @Override
  public Optional<CertificateBundle> load() {
    return secrets.get(CERTIFICATES).map(own -> bundle(own, secrets.get(SCHEDULER_CLIENT)));
  }

  @Override
  public CertificateBundle create(CertificateBundle bundle) {
    boolean won =
        secrets.create(secret(CERTIFICATES, ownFields(bundle)))
            && write(SCHEDULER_CLIENT, secrets.get(SCHEDULER_CLIENT), clientFields(bundle));
    return won ? bundle : stored();
  }

  @Override
  public CertificateBundle replace(CertificateBundle previous, CertificateBundle next) {
    Optional<Secret> own = secrets.get(CERTIFICATES);
    if (own.isEmpty()) {
      return create(next);
    }
    Optional<Secret> clients = secrets.get(SCHEDULER_CLIENT);
    CertificateBundle current = bundle(own.get(), clients);
    if (!current.equals(previous)) {
      return current;
    }
    boolean won =
        write(CERTIFICATES, own, ownFields(next))
            && write(SCHEDULER_CLIENT, clients, clientFields(next));
    return won ? next : stored();
  }

  private CertificateBundle stored() {
    return load()
        .orElseThrow(() ->
            new CertificateIssueException(
                place() + " was deleted while certificates were made: try again"));
  }

  private static CertificateBundle bundle(Secret ownSecret, Optional<Secret> clientSecret) {
    SecretFields own = SecretFields.of(ownSecret);
    List<X509Certificate> trusted = own.certificates(SecretFields.CA_CERTIFICATE, REPLACE_CA);
    CertificateAuthority authority =
        own.authority(
            trusted.getFirst(), SecretFields.CA_CERTIFICATE, SecretFields.CA_KEY, REPLACE_CA);
    Map<Purpose, Identity> leaves = new HashMap<>();
    own.leaf(REPLACE_LEAF).ifPresent(leaf -> leaves.put(Purpose.SERVER, leaf));
    clientSecret
        .flatMap(secret -> clientOf(secret, trusted))
        .ifPresent(leaf -> leaves.put(Purpose.SCHEDULER_CLIENT, leaf));
    List<X509Certificate> bridges =
        own.has(SecretFields.BRIDGES)
            ? own.certificates(SecretFields.BRIDGES, REPLACE_BRIDGES)
            : List.of();
    try {
      return new CertificateBundle(authority, trusted, leaves, bridges, change(own));
    } catch (InvalidCertificateException e) {
      throw own.unusable(SecretFields.CA_CERTIFICATE, REPLACE_CA, e);
    }
  }

  private static AuthorityChange change(SecretFields own) {
    if (own.has(SecretFields.NEXT_CERTIFICATE) || own.has(SecretFields.NEXT_KEY)) {
      X509Certificate next =
          own.certificates(SecretFields.NEXT_CERTIFICATE, REPLACE_CHANGE).getFirst();
      return new AuthorityChange.Announced(
          own.authority(
              next, SecretFields.NEXT_CERTIFICATE, SecretFields.NEXT_KEY, REPLACE_CHANGE));
    }
    return own.has(SecretFields.OVERLAP_UNTIL)
        ? new AuthorityChange.Overlapping(own.instant(SecretFields.OVERLAP_UNTIL, REPLACE_OVERLAP))
        : new AuthorityChange.None();
  }

  // A client of an authority that is not trusted counts as missing: Muster would not let it in.
  private static Optional<Identity> clientOf(Secret secret, List<X509Certificate> trusted) {
    SecretFields fields = SecretFields.of(secret);
    Optional<Identity> leaf = fields.leaf(REPLACE_CLIENT);
    leaf.ifPresent(_ -> fields.certificates(SecretFields.CA_CERTIFICATE, REPLACE_CLIENT));
    return leaf.filter(identity ->
        trusted.stream()
            .anyMatch(ca ->
                identity
                    .certificate()
                    .getIssuerX500Principal()
                    .equals(ca.getSubjectX500Principal())));
  }

  private static SecretFields ownFields(CertificateBundle bundle) {
    Map<String, String> texts = new HashMap<>();
    texts.put(SecretFields.CA_CERTIFICATE, bundle.trustedPem());
    texts.put(SecretFields.CA_KEY, bundle.authority().identity().keyPem());
    if (!bundle.bridges().isEmpty()) {
      texts.put(SecretFields.BRIDGES, Pem.ofCertificates(bundle.bridges()));
    }
    switch (bundle.change()) {
      case AuthorityChange.None() -> {}
      case AuthorityChange.Announced(var next) -> {
        texts.put(SecretFields.NEXT_CERTIFICATE, next.identity().chainPem());
        texts.put(SecretFields.NEXT_KEY, next.identity().keyPem());
      }
      case AuthorityChange.Overlapping(var until) ->
          texts.put(SecretFields.OVERLAP_UNTIL, until.toString());
    }
    return SecretFields.of(texts, bundle.leaf(Purpose.SERVER));
  }

  private static SecretFields clientFields(CertificateBundle bundle) {
    return SecretFields.of(
        Map.of(SecretFields.CA_CERTIFICATE, bundle.trustedPem()),
        bundle.leaf(Purpose.SCHEDULER_CLIENT));
  }

  /** Whether the Secret holds the fields now; it does not if it changed since it was read. */
  private boolean write(String name, Optional<Secret> read, SecretFields fields) {
    if (read.isEmpty()) {
      return secrets.create(secret(name, fields));
    }
    Map<String, String> present = read.get().getData() == null ? Map.of() : read.get().getData();
    Map<String, String> wanted = fields.over(present);
    return wanted.equals(present)
        || secrets.update(new SecretBuilder(read.get()).withData(wanted).build());
  }

  private Secret secret(String name, SecretFields fields) {
    return new SecretBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(secrets.namespace())
        .withLabels(LABELS)
        .endMetadata()
        .withType("Opaque")
        .withData(fields.base64())
        .build();
  }
}
