package io.muster.deploy.doctor;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.deploy.config.ApiRefusal;
import java.util.List;
import java.util.function.Supplier;

/**
 * One look at the cluster, which never changes anything in it.
 *
 * @param check name of the finding where the look itself fails
 * @param look may fail as the client does
 */
record Examination(String check, Supplier<List<Finding>> look) {

  /** What was found; that it could not be looked at is a finding too, whatever the reason. */
  List<Finding> made() {
    try {
      return look.get();
    } catch (KubernetesClientException e) {
      return List.of(refused(e));
    } catch (InvalidCertificateException | CertificateIssueException e) {
      return List.of(
          e.getCause() instanceof KubernetesClientException refusal
              ? refused(refusal)
              : Finding.problem(check, e.getMessage(), "see certificates.md"));
    } catch (RuntimeException e) {
      return List.of(
          Finding.cannotTell(
              check,
              "what the cluster holds there cannot be read: " + e,
              "look at the objects of this check: one of them is not as Kubernetes writes it"));
    }
  }

  private Finding refused(KubernetesClientException refusal) {
    return Finding.cannotTell(
        check, ApiRefusal.sentence(refusal), "run it as an administrator of the cluster");
  }
}
