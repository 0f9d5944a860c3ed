/** Certificates in files, such as those of a Secret that is mounted. */
package io.muster.certs.file;
