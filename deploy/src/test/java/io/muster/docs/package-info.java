/** Reads the pages that walk a newcomer through an installation, block by block. */
package io.muster.docs;
